import { z } from 'zod'
import { exportDownload, exportNames, readExportName } from '../exports/export-download.js'
import { ExportEnvelope, exportDocs, findSnapshot, snapshotName } from '../exports/snapshot-manifest.js'
import { documentedAs } from '../openapi/documented-as.js'
import { exportFileGone, unknownExportFile } from '../problems/errors.js'
import { endpoint } from '../request/endpoint.js'

const yearSeconds = 31_536_000

/** GET /api/v1/exports/:snapshot/:file: a file of one snapshot; its bytes never change. */
export const exportFile = endpoint({
  name: 'export-file',
  path: '/api/v1/exports/:snapshot/:file',
  summary: 'A file of one snapshot; its bytes never change',
  docs: {
    ...exportDocs,
    description:
      'Like `/api/v1/export`, from a snapshot that `/api/v1/exports` lists. The three newest snapshots are kept.',
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
      .meta(documentedAs({ type: 'string', pattern: snapshotName.source })),
    file: z
      .string()
      .describe('type and format, for instance `skills.csv`')
      .meta(documentedAs({ type: 'string', enum: exportNames })),
  }),
  query: z.object({}),
  response: ExportEnvelope,
  limits: ['default', 'export'],
  cache: { maxAgeSeconds: yearSeconds, immutable: true },

  /**
   * @throws AppError `export_unknown` (404) when no such file can exist, `export_gone` (410) when its snapshot may have
   * existed and has been deleted
   */
  async handle({ params }, { exports }) {
    const name = readExportName(params.file)
    if (name === null) {
      throw unknownExportFile()
    }
    const current = `/api/v1/export?type=${name.type}&format=${name.format}`
    const snapshot = findSnapshot(await exports.snapshots(), params.snapshot, snapshotName, current)
    const download = exportDownload(snapshot, name, exports)
    if (download === null) {
      throw exportFileGone(params.snapshot, current)
    }
    return { download }
  },
})
