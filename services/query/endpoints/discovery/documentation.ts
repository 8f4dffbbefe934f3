import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { extname, join } from 'node:path'
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js'
import { z } from 'zod'
import { openApiDocument } from '../../openapi/document.js'
import { builtFiles, builtPath, htmlType, pageAnswer } from '../../pages/render-page.js'
import { type Endpoint, endpoint } from '../../request/endpoint.js'
import { problemCodes } from '../../request/problem-codes.js'
import { SendableText } from '../../request/sendable-text.js'

/**
 * GET /openapi.json: this API as an OpenAPI 3.1 document, created once. /docs/openapi.json is the same as a part of the page
 * /docs, which has been counted.
 *
 * @param endpoints returns every endpoint, these included
 */
export function openApi(endpoints: () => Endpoint[]): Endpoint[] {
  let document: SendableText | null = null
  const ofApi = endpoint({
    name: 'openapi',
    path: '/openapi.json',
    summary: 'This document',
    docs: { tag: 'Discovery', errors: [] },
    response: z.looseObject({ openapi: z.string() }).describe('OpenAPI 3.1'),
    cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      document ??= new SendableText(JSON.stringify(openApiDocument(endpoints())))
      return { text: document }
    },
  })
  return [ofApi, { ...ofApi, name: 'page-file', path: '/docs/openapi.json', docs: null, limits: [] }]
}

/** GET /docs: the API documentation as a page, with a form to send requests. */
export const docs = endpoint({
  name: 'docs',
  path: '/docs',
  summary: 'The API documentation as a page, with a form to send requests',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return pageAnswer({
      title: 'API – Skill Catalog',
      description:
        'Every endpoint of the Skill Catalog: parameters, responses, errors, and a form to try each of them.',
      canonical: `${originOf(header)}/docs`,
      path: '/docs',
      styles: ['/docs/swagger-ui.css'],
      scripts: ['/docs/swagger-ui-bundle.js', builtPath('docs.ts')],
      shown: { view: 'docs', data: {} },
    })
  },
})

/** GET /docs/errors: the meaning of each error code, at the URL in a problem's `type`. */
export const errorCodes = endpoint({
  name: 'error-codes',
  path: '/docs/errors',
  summary: 'The meaning of each error code, as a page',
  docs: { tag: 'Discovery', errors: [] },
  produces: htmlType,
  cache: { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    const entries = Object.entries(problemCodes).map(([code, { status, meaning, remedy }]) => ({
      code,
      status: `${status} ${STATUS_CODES[status] ?? ''}`,
      meaning,
      remedy,
    }))
    return pageAnswer({
      title: 'Errors – Skill Catalog',
      description: 'What each error code of the Skill Catalog means, and what to do about it.',
      canonical: `${originOf(header)}/docs/errors`,
      path: '/docs/errors',
      shown: { view: 'errors', data: { entries } },
    })
  },
})

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Names with a hash of the content, as Vite writes them. */
const hashedName = /-[\w-]{8}\.(?:js|css)$/

/** Other paths of icons, which browsers ask for by themselves. */
const otherPaths: Record<string, string[]> = {
  'icon.svg': ['/favicon.ico'],
  'icon.png': ['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'],
}

/**
 * The scripts, stylesheets and icons of pages, each at its own path. They are a part of the page, which has been counted, so
 * they consume no quota: over the limit, a page still looks like one.
 */
export const pageFiles: Endpoint[] = [
  ...[...builtFiles].flatMap(([name, content]) =>
    [`/assets/${name}`, ...(otherPaths[name] ?? [])].map((path) => pageFile(path, content, types[extname(name)])),
  ),
  ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) =>
    pageFile(`/docs/${name}`, readFileSync(join(swaggerUiFolder(), name))),
  ),
]

function pageFile(path: string, content: Buffer, produces = types[extname(path)]): Endpoint {
  const text = new SendableText(content)
  return endpoint({
    name: 'page-file',
    path,
    summary: 'A part of a page',
    docs: null,
    produces: produces ?? 'application/octet-stream',
    limits: [],
    cache: hashedName.test(path)
      ? { maxAgeSeconds: 31_536_000, immutable: true }
      : { maxAgeSeconds: 300, staleWhileRevalidateSeconds: 86_400 },

    async handle() {
      return { text }
    },
  })
}
