import { z } from 'zod'
import {
  namedSkills,
  nameOf,
  type SkillPlace,
  splitFullName,
  toFolder,
  toRepositoryAddress,
  toSkillName,
} from '../../../shared/fields/web-address.js'
import { givenSkillId, skillId } from '../../../shared/records/skill.js'
import { parseTime } from '../../../shared/text/parse-time.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { idForm } from '../request/parameters.js'

/** Entries of one request. */
export const maxEntries = 200

/** Characters of a value that is returned to its sender. */
const maxRepeated = 100

const idRule = 'must be an id such as acme/pdf-tools or acme/skills@pdf'
const digestRule = 'must be sha256: and the 64 hexadecimal digits of the digest of a SKILL.md'
const commitRule = 'must be the 40 or 64 hexadecimal digits of a commit'
const timeRule = 'must be a time such as 2026-01-31T12:00:00Z'

const Id = z.string(idRule).regex(idForm, idRule).describe('`owner/repo`, or `owner/repo@skill`, in any case')
const SkillDigest = z
  .string(digestRule)
  .regex(/^(?:sha256:)?[\dA-Fa-f]{64}$/, digestRule)
  .nullish()
  .describe('SHA-256 of the SKILL.md that you have; with `sha256:` in front, or without')
const CommitOfCopy = z
  .string(commitRule)
  .regex(/^(?:[\dA-Fa-f]{40}|[\dA-Fa-f]{64})$/, commitRule)
  .nullish()
  .describe('the commit of its repository that you have')
const TimeOfCopy = z
  .string(timeRule)
  .refine((text) => parseTime(text) !== null, timeRule)
  .nullish()
  .describe('when you got it: a copy that is newer than the record of this catalog is not outdated')

const PlainEntry = z
  .strictObject(
    {
      id: Id,
      name: z.string('must be text').nullish().describe('any name of yours, which the answer repeats'),
      digest: SkillDigest,
      commit: CommitOfCopy,
      updatedAt: TimeOfCopy,
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? 'is not known: an entry by id has id, name, digest, commit and updatedAt'
          : undefined,
    },
  )
  .meta({ id: 'SkillToResolve', description: 'A skill that you have, by its id.' })

const Text = z.string('must be text').nullish()

/**
 * An entry as `npx skills` writes it, of any version: of `skills-lock.json` (version 1: `computedHash`), of
 * `.skill-lock.json` (version 1: no hash; version 3: `contentHash` in one release, then `skillFolderHash`). Further members
 * are ignored. `digest` and `commit` are ours: a program that has the files can add them.
 */
const LockEntry = z
  .looseObject({
    name: Text.describe('its name in the lock file, where entries are a list'),
    source: z.string('must be text').describe('its repository, as `owner/repo` or an address'),
    sourceType: Text.describe('`github`, `gitlab`, `git`, `well-known`, `local`, `node_modules` and others'),
    sourceUrl: Text.describe('the address of its repository, or of its file'),
    sourceBaseUrl: Text.describe('the address that it was installed from, where that is no repository'),
    skillPath: Text.describe('its SKILL.md in the repository'),
    ref: Text.describe('the branch, tag or commit to which it is pinned'),
    computedHash: Text.describe('SHA-256 of the paths and contents of its folder'),
    skillFolderHash: Text.describe("git's tree of its folder, or as `computedHash`"),
    contentHash: Text.describe('SHA-256 of its SKILL.md'),
    wellKnownDigest: Text.describe('the digest in the index that it was installed from'),
    updatedAt: Text.describe('when it was installed last'),
    digest: SkillDigest,
    commit: CommitOfCopy,
  })
  .meta({ id: 'LockEntry', description: 'An entry of `skills-lock.json` or `.skill-lock.json`.' })

/** A body with entries: a lock file as it is, or a list. */
export const EntriesBody = z.object({
  skills: z
    .union([
      z
        .record(z.string(), LockEntry)
        .describe('the entries of a lock file, by name')
        .meta({ maxProperties: maxEntries }),
      z.array(z.union([PlainEntry, LockEntry])).max(maxEntries),
    ])
    .describe(`the skills that you have, at most ${maxEntries}. Other members of the body are ignored`),
})

/** An id that an entry may mean. */
export interface Candidate {
  id: string
  /** Whether it is the repository's own skill, and the entry says that it lies elsewhere or not where. */
  isFallback: boolean
}

/** A copy of a skill, as far as it can be compared. */
export interface Copy {
  /** `sha256:` and digests of its SKILL.md. */
  digests: string[]
  /** Hashes of its folder, hexadecimal. */
  folderHashes: string[]
  commit: string | null
  /** The branch, tag or commit to which it is pinned; null: to none. */
  ref: string | null
  /** When it was installed, ISO-8601; null: not said. */
  updatedAt: string | null
}

/** An entry, as far as it can be looked up and compared. */
export interface GivenEntry extends Copy {
  /** Its name in a lock file; null: it has none. */
  name: string | null
  /** The likeliest first. */
  candidates: Candidate[]
  /** The folder of its SKILL.md in the repository; null: not said. */
  folder: string | null
  /** The host of its repository; null: not said. */
  host: string | null
}

/** An entry that names no skill that a catalog may have: `malformed` with what is wrong, or from elsewhere. */
export interface UnusableEntry {
  name: string | null
  fault: { reason: 'malformed' | 'other_source'; detail: string }
}

/**
 * Reads an entry.
 *
 * @param name in the lock file; null: it is one of a list
 * @param hosts of this service: skills that were installed from it have its addresses
 */
export function readEntry(name: string | null, given: unknown, hosts: readonly string[]): GivenEntry | UnusableEntry {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return malformed(
      name,
      'The entry is no object: give one such as {"id": "acme/skills@pdf"}, or an entry of a lock file.',
    )
  }
  const isPlain = 'id' in given && !('source' in given)
  if (isPlain) {
    const parsed = PlainEntry.safeParse(given)
    return parsed.success ? plainEntry(name, parsed.data) : malformed(name, faultIn(parsed.error))
  }
  if (!('source' in given)) {
    return malformed(name, 'The entry has neither id nor source: give one of them.')
  }
  const parsed = LockEntry.safeParse(given)
  return parsed.success ? lockEntry(name, parsed.data, hosts) : malformed(name, faultIn(parsed.error))
}

const malformed = (name: string | null, detail: string): UnusableEntry => ({
  name,
  fault: { reason: 'malformed', detail },
})

function faultIn({ issues: [issue] }: z.ZodError): string {
  const [field] = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? [])
  return `${String(field).slice(0, maxRepeated)}: ${issue?.message}.`
}

const withPrefix = (digest: string): string => `sha256:${digest.toLowerCase().replace('sha256:', '')}`

function plainEntry(key: string | null, entry: z.output<typeof PlainEntry>): GivenEntry {
  const { id, name = null } = entry
  const candidates = [{ id: givenSkillId(id), isFallback: false }]
  return { name: key ?? name, candidates, folder: null, host: null, ...copyOf(entry) }
}

function lockEntry(
  key: string | null,
  entry: z.output<typeof LockEntry>,
  hosts: readonly string[],
): GivenEntry | UnusableEntry {
  const name = key ?? entry.name ?? null
  const found = placeOf(entry, hosts)
  if (found === null) {
    const detail =
      entry.sourceType === 'well-known'
        ? 'It was installed from an address that is not the page of a skill or repository of this catalog: add its id in ' +
          'place of its source.'
        : `Its source is no repository as owner/repo (sourceType: ${(entry.sourceType ?? 'none').slice(0, maxRepeated)}): ask where it comes from.`
    return { name, fault: { reason: 'other_source', detail } }
  }
  const { place, host } = found
  const folder = entry.skillPath ? toFolder(entry.skillPath) : null
  return { name, candidates: candidatesOf(place, name, folder), folder, host, ...copyOf(entry) }
}

/** The parts of an entry that are compared with the catalog. */
const copyOf = (entry: Partial<z.output<typeof LockEntry>>): Copy => ({
  digests: [entry.digest, entry.contentHash, entry.wellKnownDigest].filter(isDigest).map(withPrefix),
  folderHashes: [entry.computedHash, entry.skillFolderHash].filter(isHash).map((each) => each.toLowerCase()),
  commit: entry.commit?.toLowerCase() ?? null,
  ref: entry.ref || null,
  updatedAt: entry.updatedAt ? parseTime(entry.updatedAt) : null,
})

const isDigest = (text: string | null | undefined): text is string =>
  SkillDigest.safeParse(text).success && typeof text === 'string'
const isHash = (text: string | null | undefined): text is string => /^(?:[\da-f]{40}|[\da-f]{64})$/i.test(text ?? '')

/** Where what an entry names lies; null: in no repository. */
function placeOf(
  { source, sourceType, sourceUrl, sourceBaseUrl }: z.output<typeof LockEntry>,
  hosts: readonly string[],
): { place: SkillPlace; host: string | null } | null {
  if (sourceType === 'well-known') {
    const own = [sourceUrl, sourceBaseUrl].find(
      (url) => url && hosts.map(comparable).includes(comparable(parseUrl(url)?.host ?? '')),
    )
    const [place] = namedSkills(own ?? '')
    return place === undefined ? null : { place, host: null }
  }
  if (['local', 'node_modules', 'download'].includes(sourceType ?? '')) {
    return null
  }
  for (const text of [sourceUrl, source]) {
    const [address = null, repository = null] = text ? [toRepositoryAddress(text), splitFullName(text)] : []
    const place = repository === null ? namedSkills(text ?? '').at(-1) : { ...repository, skill: null }
    if (place !== undefined) {
      const host = repository === null && address !== null ? hostOf(address) : null
      return { place: { ...place, skill: null }, host }
    }
  }
  return null
}

/** A host with its port; the names of this machine are one. */
const comparable = (host: string): string => host.replace(/^(?:localhost|\[::1\])(?=:|$)/, '127.0.0.1')

/** The host of an address, as hosts are compared. */
export const hostOf = (address: string): string => (parseUrl(address)?.hostname ?? '').replace(/^www\./, '')

/** The ids that a skill of this name, in this folder, may have in a catalog. */
function candidatesOf({ owner, repo, skill }: SkillPlace, name: string | null, folder: string | null): Candidate[] {
  if (skill !== null) {
    return [{ id: skillId(owner, repo, skill), isFallback: false }]
  }
  const names = [name, folder ? nameOf(folder) : null].map((each) => (each === null ? null : toSkillName(each)))
  const named = [...new Set(names)].flatMap((each) =>
    each === null ? [] : [{ id: skillId(owner, repo, each), isFallback: false }],
  )
  const own = { id: skillId(owner, repo), isFallback: folder !== '' && named.length > 0 }
  return folder === '' ? [own, ...named] : [...named, own]
}
