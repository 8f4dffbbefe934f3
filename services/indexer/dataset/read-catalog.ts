import { type StoredOrganization, toPublicOrganization } from '../../../shared/records/organization.js'
import { type StoredPrompt, toPublicPrompt } from '../../../shared/records/prompt.js'
import {
  type FileRecords,
  type PublicRecords,
  publicSchemas,
  type RecordType,
} from '../../../shared/records/records.js'
import { type Skill, toSkillRow } from '../../../shared/records/skill.js'
import type { JobContext } from '../runner/job.js'
import { type OwnerSum, OwnerSums } from './owner-sums.js'

/** Skills and organizations per read. */
const pageSize = 500

/** Prompts per read: each may have hundreds of kilobytes. */
const promptsPerRead = 50

/** Records of one type, as in files. */
export type RecordPage = { [T in RecordType]: { type: T; rows: FileRecords[T][] } }[RecordType]

/**
 * Reads every published record, page by page: skills in the order of their ids, each organization after the last of its
 * skills, then prompts in the order of their ids. Each page shows the catalog at the time of its read. Invalid records are
 * reported and left out.
 */
export async function* readCatalog(context: JobContext): AsyncGenerator<RecordPage> {
  const { catalog, signal } = context
  const sums = new OwnerSums()
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const page: Skill[] = await catalog.scanSkills(afterId, pageSize)
    const last = page.at(-1)
    if (last === undefined) {
      break
    }
    afterId = last.id
    const rows = valid(context, 'skills', page)
    yield { type: 'skills', rows: rows.map(toSkillRow) }
    yield { type: 'organizations', rows: await organizationsOf(context, sums.add(rows)) }
  }
  yield { type: 'organizations', rows: await organizationsOf(context, sums.finish()) }
  for (let afterId: string | null = null; ; ) {
    signal.throwIfAborted()
    const ids: string[] = await catalog.listIds('prompts', afterId, promptsPerRead)
    if (ids.length === 0) {
      break
    }
    afterId = ids.at(-1) ?? null
    const stored = await publishedOf(context, 'prompts', ids)
    const prompts = ids.flatMap((id) => stored.get(id) ?? []).map((prompt) => toPublicPrompt(prompt as StoredPrompt))
    yield { type: 'prompts', rows: valid(context, 'prompts', prompts) }
  }
}

async function organizationsOf(context: JobContext, sums: OwnerSum[]): Promise<PublicRecords['organizations'][]> {
  if (sums.length === 0) {
    return []
  }
  const logins = sums.map(({ login }) => login)
  const stored = await publishedOf(context, 'organizations', logins)
  const organizations = sums.map((sum) =>
    toPublicOrganization(sum, (stored.get(sum.login) ?? null) as StoredOrganization | null),
  )
  return valid(context, 'organizations', organizations)
}

/** The stored records of these ids that are published. */
async function publishedOf({ catalog }: JobContext, type: RecordType, ids: string[]): Promise<Map<string, unknown>> {
  const found = await catalog.findStored(type, ids, 'fields')
  return new Map(
    found.filter(({ stored }) => Object(stored).state === 'published').map(({ id, stored }) => [id, stored]),
  )
}

/** The records with their public fields only. */
function valid<T extends RecordType>({ report }: JobContext, type: T, records: PublicRecords[T][]): PublicRecords[T][] {
  return records.flatMap((record) => {
    const parsed = publicSchemas[type].safeParse(record)
    if (parsed.success) {
      return [parsed.data as PublicRecords[T]]
    }
    const reasons = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    const id = String('login' in record ? record.login : record.id)
    report({ kind: 'rejected', id, reason: `omitted from the ${type} of the dataset: ${reasons.join('; ')}` })
    return []
  })
}
