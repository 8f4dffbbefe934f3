import { z } from 'zod'
import { toSkillName } from '../../../shared/fields/web-address.js'
import type { ChangeLog } from '../../../shared/ports/change-log.js'
import type { FoundSkill } from '../../../shared/ports/skill-reader.js'
import { SkillSchema, Timestamp } from '../../../shared/records/schemas.js'
import { type Skill, skillOf } from '../../../shared/records/skill.js'
import type { Backends } from '../observability/backends.js'
import {
  type CopyResult,
  compareCopy,
  comparisons,
  maxComparedBytes,
  needsText,
  type OpenReason,
  openReasons,
} from './compare-copy.js'
import { type Candidate, type GivenEntry, hostOf, readEntry, type UnusableEntry } from './lock-entries.js'

/** What has become of a skill that a client has. */
export const ResolvedEntry = z
  .object({
    name: z.string().nullable().describe('its name in the lock file; null: it has none'),
    id: z
      .string()
      .nullable()
      .describe('the id that was looked up, the likeliest one; null: the entry names no repository'),
    status: z
      .enum(['current', 'outdated', 'renamed', 'removed', 'hidden', 'unknown', 'invalid'])
      .describe(
        'current: your copy is what the catalog has; outdated: the catalog has another SKILL.md; renamed: presentId ' +
          'is its id now; removed; hidden: it was public, and is not shown any more; unknown: see reason; invalid: ' +
          'the entry cannot be read',
      ),
    reason: z
      .enum(['malformed', 'other_source', 'not_listed', ...openReasons])
      .nullable()
      .describe('why nothing is said of the copy, for programs; null: something is said'),
    detail: z.string().nullable().describe('the same for people, with what to do; null as reason is'),
    compared: z
      .enum(comparisons)
      .nullable()
      .describe('what was compared: digest of the SKILL.md, folder hash, or commit; null: nothing'),
    isSame: z
      .boolean()
      .nullable()
      .describe('whether your copy is what the catalog has, also of a renamed skill; null: not known'),
    presentId: SkillSchema.shape.id.nullable().describe('the id of the published skill; null: there is none'),
    version: SkillSchema.shape.version.describe('its present version; null: unknown'),
    commit: SkillSchema.shape.commit.describe('its present commit; null: unknown'),
    digest: SkillSchema.shape.digest.describe('the present SHA-256 of its SKILL.md; null: unknown'),
    changedAt: Timestamp.nullable().describe(
      'when the catalog recorded the last change of the skill, of any field, or its removal, hiding or renaming; ' +
        'null: unknown',
    ),
  })
  .meta({ id: 'ResolvedSkill' })
export type ResolvedEntry = z.output<typeof ResolvedEntry>

/** The present skill of an entry, or its end. */
type Outcome =
  | { state: 'published'; id: string; skill: Skill; isRenamed: boolean }
  | { state: 'removed' | 'hidden'; id: string; at: string | null }
  | { state: 'unknown'; id: string | null }

const details: Record<OpenReason, string> = {
  nothing_given: 'The entry has neither digest nor commit: add the SHA-256 of its SKILL.md as digest.',
  nothing_known: 'The catalog does not know the digest or commit of this skill, so that nothing can be compared.',
  folder_hash:
    'The entry has only a hash of its folder, of which the catalog keeps the SKILL.md alone: add its SHA-256 as digest.',
  other_commit:
    'The catalog has read another commit. The skill may be the same in both: add the SHA-256 of its SKILL.md.',
  pinned: 'The digest is another one, but the entry is pinned to a ref, which the catalog may not have read.',
  newer_than_record: 'The digest is another one, but the copy is newer than the record of the catalog.',
}

/**
 * Says what has become of skills that a client has: with a few reads of many ids, for any number of entries.
 *
 * @param given entries in their order, with their names in a lock file
 * @param hosts of this service
 */
export async function resolveEntries(
  given: [name: string | null, entry: unknown][],
  hosts: readonly string[],
  { catalog, changes }: { catalog: Backends['catalog']; changes: Pick<ChangeLog, 'entriesOf'> },
): Promise<ResolvedEntry[]> {
  const entries = given.map(([name, entry]) => readEntry(name, entry, hosts))
  const usable = entries.filter((entry) => 'candidates' in entry)
  const found = await findAll(
    catalog,
    usable.flatMap(({ candidates }) => candidates.map(({ id }) => id)),
  )
  const renamed = [...found.values()].flatMap((each) => (each.state === 'renamed' ? [each.presentId] : []))
  const skills = skillsIn(new Map([...found, ...(await findAll(catalog, renamed))]))
  const logged = await logOf(changes, [...found.keys(), ...renamed])
  const outcomes = new Map(usable.map((entry) => [entry, outcomeOf(entry, found, skills, logged)]))
  const asked = [...outcomes].flatMap(([entry, outcome]) =>
    outcome.state === 'published' && needsText(entry, outcome.skill) ? [outcome.skill] : [],
  )
  const texts =
    asked.length === 0 ? null : await catalog.readWholeTexts(asked, { maxBytes: maxComparedBytes, soleOnly: false })
  return entries.map((entry) => {
    if ('fault' in entry) {
      return unusable(entry)
    }
    const outcome = outcomes.get(entry) ?? { state: 'unknown', id: null }
    if (outcome.state !== 'published') {
      return absent(entry, outcome)
    }
    const { skill, isRenamed } = outcome
    const result = compareCopy(entry, skill, texts?.get(skill.id) ?? null)
    // The date of a rename is that on which the former id ended.
    const change = logged.get(isRenamed ? outcome.id : skill.id)
    return present(entry, outcome, result, change?.changedAt ?? null)
  })
}

async function findAll(catalog: Backends['catalog'], ids: string[]): Promise<Map<string, FoundSkill>> {
  const distinct = [...new Set(ids)]
  const found = distinct.length === 0 ? [] : await catalog.findSkills(distinct)
  return new Map(found.map((each, place) => [distinct[place] ?? '', each]))
}

const skillsIn = (found: ReadonlyMap<string, FoundSkill>): Map<string, Skill> =>
  new Map([...found].flatMap(([id, each]) => (each.state === 'published' ? [[id, skillOf(each)]] : [])))

type Log = ReadonlyMap<string, { contentHash: string | null; changedAt: string }>

async function logOf(changes: Pick<ChangeLog, 'entriesOf'>, ids: string[]): Promise<Log> {
  const distinct = [...new Set(ids)]
  const logged = distinct.length === 0 ? [] : await changes.entriesOf(distinct)
  return new Map(logged.map((entry) => [entry.id, entry]))
}

/** The first id of an entry of which the catalog knows anything. */
function outcomeOf(
  entry: GivenEntry,
  found: ReadonlyMap<string, FoundSkill>,
  skills: ReadonlyMap<string, Skill>,
  logged: Log,
): Outcome {
  for (const candidate of entry.candidates) {
    const { id } = candidate
    const each = found.get(id) ?? { state: 'unknown' }
    const entryOfLog = logged.get(id)
    if (each.state === 'published' || each.state === 'renamed') {
      const skill = skills.get(each.state === 'renamed' ? each.presentId : id)
      if (skill !== undefined && isMeant(entry, candidate, skill)) {
        return { state: 'published', id, skill, isRenamed: each.state === 'renamed' }
      }
    } else if (each.state === 'removed' && isNameOf(entry, candidate)) {
      return { state: 'removed', id, at: each.removedAt || (entryOfLog?.changedAt ?? null) }
    } else if (entryOfLog?.contentHash === null && isNameOf(entry, candidate)) {
      // It was public, and the changes say that it is not any more. Of a skill that never was, nothing is said.
      return { state: 'hidden', id, at: entryOfLog.changedAt }
    }
  }
  return { state: 'unknown', id: entry.candidates[0]?.id ?? null }
}

/** Whether a skill is the one of the entry: a repository's own skill is not just any skill in it. */
function isMeant(entry: GivenEntry, candidate: Candidate, skill: Skill): boolean {
  const isElsewhere = entry.host !== null && skill.url !== null && hostOf(skill.url) !== entry.host
  if (isElsewhere || !candidate.isFallback) {
    return !isElsewhere
  }
  return entry.folder !== null && skill.path !== null
    ? skill.path === entry.folder
    : isNameOf(entry, candidate) || (entry.name !== null && sameName(entry.name, skill.name))
}

const sameName = (one: string, other: string): boolean => toSkillName(one) === toSkillName(other)

/** Whether the id of a repository's own skill is that of the entry, by its name. */
const isNameOf = ({ name }: GivenEntry, { id, isFallback }: Candidate): boolean =>
  !isFallback || (name !== null && sameName(name, id.slice(id.indexOf('/') + 1)))

const nothing: ResolvedEntry = {
  name: null,
  id: null,
  status: 'unknown',
  reason: null,
  detail: null,
  compared: null,
  isSame: null,
  presentId: null,
  version: null,
  commit: null,
  digest: null,
  changedAt: null,
}

const unusable = ({ name, fault: { reason, detail } }: UnusableEntry): ResolvedEntry => ({
  ...nothing,
  name,
  status: reason === 'malformed' ? 'invalid' : 'unknown',
  reason,
  detail,
})

const absent = ({ name }: GivenEntry, outcome: Exclude<Outcome, { state: 'published' }>): ResolvedEntry =>
  outcome.state === 'unknown'
    ? { ...nothing, name, id: outcome.id, reason: 'not_listed', detail: notListed }
    : { ...nothing, name, id: outcome.id, status: outcome.state, changedAt: outcome.at }

const notListed = 'The catalog has no skill of this id and repository.'

const present = (
  { name }: GivenEntry,
  { id, skill, isRenamed }: Extract<Outcome, { state: 'published' }>,
  { isSame, compared, reason }: CopyResult,
  changedAt: string | null,
): ResolvedEntry => ({
  name,
  id,
  status: isRenamed ? 'renamed' : isSame === null ? 'unknown' : isSame ? 'current' : 'outdated',
  reason,
  detail: reason === null ? null : details[reason],
  compared,
  isSame,
  presentId: skill.id,
  version: skill.version,
  commit: skill.commit,
  digest: skill.digest,
  changedAt,
})
