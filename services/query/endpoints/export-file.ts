import { z } from 'zod'
import { ExportEnvelope, exportDocs } from '../exports/export-docs.js'
import { exportDownload, exportNames, readExportName } from '../exports/export-download.js'
import { endpoint } from '../http/endpoint.js'
import { documentedAs } from '../openapi/documented-as.js'
import { exportFileGone, unknownExportFile } from '../problems/errors.js'

/** The pattern of a snapshot's name: the time at which it was made. */
const snapshotName = /^\d{8}T\d{9}Z$/

/** Whether the name is that of an existing time. Names sort by time. */
function isSnapshotTime(name: string): boolean {
  const iso = name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z')
  const date = new Date(iso)
  return snapshotName.test(name) && !Number.isNaN(date.getTime()) && date.toISOString() === iso
}

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
    if (name === null || !isSnapshotTime(params.snapshot)) {
      throw unknownExportFile()
    }
    const snapshots = await exports.snapshots()
    if (snapshots.every((kept) => kept.snapshot < params.snapshot)) {
      throw unknownExportFile()
    }
    const snapshot = snapshots.find((kept) => kept.snapshot === params.snapshot)
    const download = snapshot === undefined ? null : exportDownload(snapshot, name, exports)
    if (download === null) {
      throw exportFileGone(params.snapshot, `/api/v1/export?type=${name.type}&format=${name.format}`)
    }
    return { download }
  },
})
