import { type StoredOrganization, toPublicOrganization } from '../../../shared/records/organization.js'
import { type StoredPrompt, toPublicPrompt } from '../../../shared/records/prompt.js'
import type { RecordType } from '../../../shared/records/records.js'
import { type StoredSkill, toPublicSkill } from '../../../shared/records/skill.js'
import type { MirrorComparison, MirrorDifference } from './compare-mirror.js'
import type { Mirror } from './mirror.js'
import { type ExportedRecord, readExport } from './read-export.js'
import { isWhole, type SnapshotFile } from './snapshots.js'

/** Records per comparison; a prompt may have hundreds of kilobytes. */
const batchSize = 100

/** Ids per read. */
const pageSize = 1_000

/**
 * Compares the copy's records of a type with a file of the source's newest snapshot. With a truncated file, further
 * records in the copy are no differences.
 *
 * @throws AppError as `readExport`
 */
export async function compareSnapshot(mirror: Mirror, type: RecordType, file: SnapshotFile): Promise<MirrorComparison> {
  const seen = new Set<string>()
  const differences: MirrorDifference[] = []
  let batch: ExportedRecord<RecordType>[] = []
  let compared = 0
  const compareBatch = async () => {
    differences.push(...(await compareRecords(mirror, type, batch)))
    compared += batch.length
    batch = []
  }
  for await (const exported of readExport(mirror, type, file)) {
    batch.push(exported)
    if (exported.id !== null) {
      seen.add(exported.id)
    }
    if (batch.length === batchSize) {
      await compareBatch()
    }
  }
  await compareBatch()
  const extra = isWhole(file) ? await publishedOthers(mirror, type, seen) : []
  return {
    compared: compared + extra.length,
    differences: [...differences, ...extra.map((id) => ({ type, id, kind: 'extra' }) as const)],
  }
}

async function compareRecords(
  { catalog }: Mirror,
  type: RecordType,
  batch: ExportedRecord<RecordType>[],
): Promise<MirrorDifference[]> {
  const found = await catalog.findStored(
    type,
    batch.flatMap(({ id }) => id ?? []),
    'fields',
  )
  const stored = new Map(found.map((each) => [each.id, each.stored as { state?: unknown }]))
  return batch.flatMap((exported): MirrorDifference[] => {
    const { id, place } = exported
    const our = id === null ? undefined : stored.get(id)
    if (our?.state !== 'published') {
      return [{ type, id: id ?? place, kind: 'missing' }]
    }
    const equal = 'record' in exported && publicText(type, exported.record) === publicText(type, our)
    return equal ? [] : [{ type, id: id ?? place, kind: 'different' }]
  })
}

/** The public fields of a stored record, without those that each catalog computes. */
const publicText = (type: RecordType, stored: unknown): string => {
  switch (type) {
    case 'skills':
      return JSON.stringify({ ...toPublicSkill(stored as StoredSkill), indexedAt: null })
    case 'prompts':
      return JSON.stringify(toPublicPrompt(stored as StoredPrompt))
    case 'organizations':
      return JSON.stringify(
        toPublicOrganization({ login: '', skills: 0, stars: 0, topTopics: [] }, stored as StoredOrganization),
      )
  }
}

/** Ids of the copy's other published records. */
async function publishedOthers({ catalog }: Mirror, type: RecordType, seen: Set<string>): Promise<string[]> {
  const others: string[] = []
  let afterId: string | null = null
  do {
    const ids: string[] = await catalog.listIds(type, afterId, pageSize)
    const found = await catalog.findStored(
      type,
      ids.filter((id) => !seen.has(id)),
      'fields',
    )
    others.push(...found.filter(({ stored }) => Object(stored).state === 'published').map(({ id }) => id))
    afterId = ids.at(-1) ?? null
  } while (afterId !== null)
  return others
}
