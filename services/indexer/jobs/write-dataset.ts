import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { ExportDraft, SnapshotMoment } from '../../../shared/ports/export-store.js'
import { dataLicense, recordTypes } from '../../../shared/records/records.js'
import type { Stats } from '../../../shared/records/stats.js'
import { type DatasetState, stateKeys } from '../../../shared/state-keys.js'
import type { DatasetFiles } from '../dataset/dataset-files.js'
import { readCatalog } from '../dataset/read-catalog.js'
import { currentMoment, describeSnapshot } from '../exports/snapshot.js'
import type { Job, JobContext, JobResult } from '../runner/job.js'

/** Writes every record of the catalog to Parquet and SQLite files, and publishes them when any record has changed. */
export const writeDataset: Job = {
  name: 'write-dataset',
  summary: 'write and publish the files with every record, as Parquet and SQLite',
  everySeconds: 86_400,

  async run(context) {
    // Unlike the name of any snapshot of the exports.
    const moment = await currentMoment(context, '-dataset')
    const { snapshot, generatedAt, changesSince } = moment
    // Loaded here, since every command reads the list of jobs.
    const { DatasetFiles } = await import('../dataset/dataset-files.js')
    const files = await DatasetFiles.create(context.workFolder, {
      ...dataLicense,
      snapshot,
      generatedAt,
      changesSince: changesSince === null ? null : String(changesSince),
    })
    try {
      await addRecords(context, files)
      const content = await files.finish()
      return await publish(context, moment, files, content)
    } finally {
      await files.close()
    }
  },
}

/** The next page is read while the thread writes the last one. */
async function addRecords(context: JobContext, files: DatasetFiles): Promise<void> {
  const stats = await context.catalog.readState<Stats>(stateKeys.stats)
  const expected = stats === null ? 0 : stats.totals.skills + stats.totals.prompts + stats.totals.organizations
  let done = 0
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const { type, rows } of readCatalog(context)) {
      await writing
      writing = files.add(type, rows)
      // Awaited in its turn; until then a rejection must not count as unhandled.
      writing.catch(() => undefined)
      done += rows.length
      context.progress.add(rows.length, Math.max(expected, done))
    }
  } finally {
    await writing
  }
}

/** @param content equal for equal records */
async function publish(
  context: JobContext,
  moment: SnapshotMoment,
  files: DatasetFiles,
  content: string,
): Promise<JobResult> {
  const { catalog, datasets, lock, signer = null } = context
  const [newest] = await datasets.snapshots()
  const last = await catalog.readState<DatasetState>(stateKeys.dataset)
  const rows = files.counts
  if (
    newest !== undefined &&
    newest.snapshot === last?.snapshot &&
    last.content === content &&
    newest.manifest?.publicKey === (signer?.publicKey ?? null)
  ) {
    return { snapshot: newest.snapshot, unchanged: true, ...rows }
  }
  const published = await datasets.publish(moment, drafts(files, context), lock, (written) =>
    describeSnapshot(moment, written, signer),
  )
  await catalog.writeState(stateKeys.dataset, { snapshot: moment.snapshot, content } satisfies DatasetState, lock)
  const sizeBytes = published.files.reduce((sum, file) => sum + file.sizeBytes, 0)
  return { snapshot: moment.snapshot, files: published.files.length, ...rows, sizeBytes }
}

async function* drafts({ folder, counts }: DatasetFiles, { signal }: JobContext): AsyncGenerator<ExportDraft> {
  const draft = (type: ExportDraft['type'], format: ExportDraft['format'], count: number): ExportDraft => ({
    type,
    format,
    encoding: 'identity',
    total: count,
    count,
    content: readFile(join(folder, `${type}.${format}`), signal),
  })
  for (const type of recordTypes) {
    yield draft(type, 'parquet', counts[type])
  }
  yield draft(
    'catalog',
    'sqlite',
    recordTypes.reduce((sum, type) => sum + counts[type], 0),
  )
}

/** The stream is made when its first bytes are read: before that nobody would handle its errors. */
async function* readFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const bytes of createReadStream(path)) {
    signal.throwIfAborted()
    yield bytes
  }
}
