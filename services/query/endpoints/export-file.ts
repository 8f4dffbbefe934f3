import { z } from 'zod'
import { endpoint } from '../endpoint.js'
import { exportFileGone, unknownExportFile } from '../errors.js'
import { ExportEnvelope, exportDocs } from '../export-docs.js'
import { exportDownload, exportNames, readExportName } from '../export-download.js'
import { shownAs } from '../openapi/shown-as.js'

/** How snapshots are called: the moment at which they were made. */
const snapshotName = /^\d{8}T\d{9}Z$/

const yearSeconds = 31_536_000

/** GET /api/v1/exports/:snapshot/:file: a file of one snapshot, always the same bytes. */
export const exportFile = endpoint({
  name: 'export-file',
  path: '/api/v1/exports/:snapshot/:file',
  summary: 'A file of one snapshot, always the same bytes',
  docs: {
    ...exportDocs,
    description: 'As `/api/v1/export`, from a snapshot that `/api/v1/exports` lists: the three newest are kept.',
    errors: [
      'export_unknown',
      'export_gone',
      'precondition_failed',
      'range_not_satisfiable',
      'export_not_ready',
      'exports_unavailable',
    ],
  },
  params: z.object({
    snapshot: z
      .string()
      .describe('name of a snapshot, as /api/v1/exports lists it')
      .meta(shownAs({ type: 'string', pattern: snapshotName.source })),
    file: z
      .string()
      .describe('type and format, for instance `skills.csv`')
      .meta(shownAs({ type: 'string', enum: exportNames })),
  }),
  query: z.object({}),
  response: ExportEnvelope,
  limits: ['default', 'export'],
  cache: { maxAgeSeconds: yearSeconds, immutable: true },

  /** @throws AppError `export_unknown` (404), `export_gone` (410) when the snapshot is not kept any more */
  async handle({ params }, { exports }) {
    const name = readExportName(params.file)
    if (name === null || !snapshotName.test(params.snapshot)) {
      throw unknownExportFile()
    }
    const snapshot = (await exports.snapshots()).find((kept) => kept.snapshot === params.snapshot)
    const download = snapshot === undefined ? null : exportDownload(snapshot, name, exports)
    if (download === null) {
      throw exportFileGone(params.snapshot, `/api/v1/export?type=${name.type}&format=${name.format}`)
    }
    return { download }
  },
})
