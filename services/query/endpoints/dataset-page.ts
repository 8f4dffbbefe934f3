import { askThisService } from '../pages/page-data.js'
import { htmlType, pageHeaders, renderPage } from '../pages/render-page.js'
import { endpoint } from '../request/endpoint.js'
import type { SnapshotsAnswer } from '../web/api/answers.js'

/** GET /dataset: the files of the newest snapshot, and how to use them, as a page. */
export const datasetPage = endpoint({
  name: 'dataset-page',
  path: '/dataset',
  summary: 'The files of the dataset as a page',
  docs: { tag: 'Discovery', errors: ['exports_unavailable'] },
  produces: htmlType,
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ header, path }, deps) {
    const origin = deps.originOf(header)
    const { data, datasets } = await askThisService(deps)<SnapshotsAnswer>('/api/v1/exports')
    const text = renderPage({
      title: 'Dataset – Skill Catalog',
      description: 'Skills, prompts and organizations as JSON, NDJSON, CSV, Parquet and SQLite, under CC BY 4.0.',
      canonical: `${origin}${path}`,
      json: '/api/v1/exports',
      path,
      about: {
        '@type': 'Dataset',
        name: 'Skill Catalog',
        description: 'Skills, prompts and organizations for AI agents.',
        url: `${origin}${path}`,
        license: 'https://creativecommons.org/licenses/by/4.0/',
        isAccessibleForFree: true,
      },
      shown: { view: 'dataset', data: { snapshot: data[0] ?? null, dataset: datasets[0] ?? null, origin } },
    })
    return { text, headers: pageHeaders }
  },
})
