import { z } from 'zod'
import { endpoint } from '../endpoint.js'
import { exportFileGone, unknownExportFile } from '../errors.js'
import { ExportEnvelope, exportDocs } from '../export-docs.js'
import { exportDownload, exportNames, readExportName } from '../export-download.js'
import { shownAs } from '../openapi/shown-as.js'

/** The form of a snapshot's name: the moment at which it was made. */
const snapshotName = /^\d{8}T\d{9}Z$/

/** Whether a name is that of a real moment. Names sort by their moments. */
function isMoment(name: string): boolean {
  const iso = name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z')
  const date = new Date(iso)
  return snapshotName.test(name) && !Number.isNaN(date.getTime()) && date.toISOString() === iso
}

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

  /**
   * @throws AppError `export_unknown` (404) when there never was such a file, `export_gone` (410) when its snapshot may
   * have been there and is not kept any more
   */
  async handle({ params }, { exports }) {
    const name = readExportName(params.file)
    if (name === null || !isMoment(params.snapshot)) {
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
