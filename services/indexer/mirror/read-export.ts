import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RecordType } from '../../../shared/records/records.js'
import { publicSchemas } from '../../../shared/records/schemas.js'
import { AppError, operatorError } from '../../../shared/runtime/errors.js'
import { type MappedRecord, mapRecord } from '../import/map-record.js'
import { readNdjson } from '../import/read-json.js'
import { isRecord, UnreadableSource } from '../import/source.js'
import type { Mirror } from './mirror.js'
import { sizeOf } from './request-source.js'
import type { SnapshotFile } from './signed-manifest.js'

/**
 * A public record of the source as an import would store it, or the reason of its rejection. Only public fields are read,
 * so that a source cannot set others. A skill whose id does not match its owner and repository is rejected: it would be
 * listed under one address and served under another.
 */
export function mapSourceRecord<T extends RecordType>(type: T, value: unknown): MappedRecord<T> {
  if (!isRecord(value)) {
    return { id: null, reason: 'is not a JSON object' }
  }
  const fields = Object.keys(publicSchemas[type].shape).filter((name) => Object.hasOwn(value, name))
  const mapped = mapRecord(type, Object.fromEntries(fields.map((name) => [name, value[name]])))
  const { id } = value
  if (type === 'skills' && mapped.id !== null && mapped.id !== id) {
    return { id: null, reason: `id: is ${JSON.stringify(id)?.slice(0, 100)}, but it must be ${mapped.id}` }
  }
  return mapped
}

/** 4 GiB. The largest expected file, of 10,000 prompts, has some 50 MB. */
const maxFileBytes = 4 * 1024 ** 3

/** Incomplete downloads in the folder of the copy. */
const partName = /^mirror.*\.part$/

/** A record of a file, mapped or rejected. */
export type ExportedRecord<T extends RecordType> = MappedRecord<T> & { place: string; sizeBytes: number }

/**
 * Downloads a snapshot file, checks its hash, and reads its records one by one. The next call for the same file resumes
 * an interrupted download; the file is deleted after it has been read.
 *
 * @throws AppError 404 or 410 when the source no longer keeps the file; `download_damaged`; `source_not_understood` when
 *   the number of records differs from the announced one
 */
export async function* readExport<T extends RecordType>(
  mirror: Mirror,
  type: T,
  file: SnapshotFile,
): AsyncGenerator<ExportedRecord<T>> {
  const { source } = mirror
  const path = await downloadVerified(mirror, file)
  try {
    let read = 0
    for await (const item of readNdjson(createReadStream(path, { signal: source.signal }), type)) {
      read += 1
      if (read > file.rows) {
        break
      }
      const { place } = item
      yield 'reason' in item
        ? { place, sizeBytes: 0, id: null, reason: item.reason }
        : { place, sizeBytes: item.sizeBytes, ...mapSourceRecord(type, item.record) }
    }
    if (read !== file.rows) {
      throw source.notUnderstood(file.path, `it does not contain the announced ${file.rows} records`)
    }
  } catch (error) {
    source.signal.throwIfAborted()
    throw error instanceof UnreadableSource ? source.notUnderstood(file.path, error.message) : error
  } finally {
    await rm(path, { force: true })
  }
}

/** A damaged download is deleted and repeated once: the damage may be in the part that an earlier run left. */
async function downloadVerified(mirror: Mirror, file: SnapshotFile): Promise<string> {
  const { source, folder } = mirror
  // Named by its hash, so that the part of another file is never resumed.
  const name = `mirror-${file.sha256}.part`
  const path = join(folder, name)
  await deleteParts(folder, name)
  await checkSize(mirror, file, path)
  for (const _attempt of ['first', 'second']) {
    try {
      await source.download(file, path)
      if ((await hashOf(path, source.signal)) === file.sha256) {
        return path
      }
    } catch (error) {
      source.signal.throwIfAborted()
      if (!(error instanceof AppError && error.code === 'download_damaged')) {
        throw error
      }
    }
    await rm(path, { force: true })
  }
  throw operatorError(
    'download_damaged',
    `${source.url}${file.path} is not the file that /api/v1/exports announces: its size or hash differs, in two ` +
      'downloads. Run the command again later; if that does not help, report it to the operator of the source.',
  )
}

/** @throws AppError `download_too_large` when the announced size exceeds the limit or the free disk space */
async function checkSize({ source, folder }: Mirror, { path, bytes }: SnapshotFile, part: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const missing = bytes - sizeOf(part)
  if (bytes > maxFileBytes || missing > bavail * bsize) {
    throw operatorError(
      'download_too_large',
      `${source.url}${path} has ${bytes} bytes. ` +
        (bytes > maxFileBytes
          ? `The maximum is ${maxFileBytes}.`
          : `The disk of ${folder} has not enough free space. Free some, and run the command again.`),
    )
  }
}

async function deleteParts(folder: string, except: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => partName.test(name) && name !== except)
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
}

async function hashOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash, { signal })
  return hash.digest('hex')
}
