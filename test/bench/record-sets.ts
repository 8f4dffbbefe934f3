import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { findSources } from '../../services/indexer/import/find-sources.js'
import { readLines } from '../../services/indexer/import/read-json.js'
import { readRecords } from '../../services/indexer/import/read-records.js'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { maxCharacters } from '../../shared/records/fields.js'
import { type Skill, skillId, toPublicSkill } from '../../shared/records/skill.js'

/** The records of a set that is made from files. */
const maxRepeated = 62_500

/** Records of which queries are made. */
const maxSampled = 10_000

/** The records that a benchmark runs on, in a file. */
export interface RecordSet {
  /** `10,000 seeded skills` */
  label: string
  /** NDJSON: a public skill on each line. */
  path: string
  records: number
  /** The number of records at the beginning of the file that repeat no other. */
  originals: number
  sizeBytes: number
}

/** Generated skills, the same ones for the same size. @param apart each repository is one skill */
export function* seededSkills(size: number, apart = false): Generator<Skill> {
  for (const skill of generateSkills(size, 1, apart)) {
    yield toPublicSkill(skill)
  }
}

/** Writes a set of generated skills. */
export const writeSeeded = (size: number, folder: string, apart = false): Promise<RecordSet> =>
  writeSet(folder, seededSkills(size, apart), (records) => `${records} seeded skills`)

/** Writes a set. @param originals default: as many as there are skills */
export async function writeSet(
  folder: string,
  skills: Iterable<object>,
  labelOf: (records: string) => string,
  originals?: number,
): Promise<RecordSet> {
  const path = join(folder, 'skills.ndjson')
  let records = 0
  await pipeline(function* () {
    for (const skill of skills) {
      records += 1
      yield `${JSON.stringify(skill)}\n`
    }
  }, createWriteStream(path))
  const label = labelOf(records.toLocaleString('en'))
  return { label, path, records, originals: originals ?? records, sizeBytes: statSync(path).size }
}

/**
 * Writes a set of the published skills in files that `catalog import` reads, repeated up to 62,500 records: a copy is the
 * same skill of another owner, `<owner>-2`, `<owner>-3` and so on, as a fork is.
 *
 * @throws Error when a file cannot be read, or none of them has a published skill
 */
export async function writeRepeated(paths: string[], folder: string): Promise<RecordSet> {
  const skills = await readSkills(paths)
  const names = paths.map((each) => basename(each)).join(', ')
  const labelOf = (records: string) =>
    `${records} skills: the ${skills.length.toLocaleString('en')} of ${names}, repeated`
  return writeSet(folder, repeatedSkills(skills), labelOf, skills.length)
}

/**
 * Writes the package list of a Debian system as skills, which a short text describes: the name, its owner's, the
 * summary, section and tags as topics, the size as stars.
 *
 * @returns null where there is no `apt-cache`
 * @see https://www.debian.org/doc/debian-policy/ch-controlfields.html
 */
export async function writePackages(folder: string): Promise<RecordSet | null> {
  let list: string
  try {
    list = execFileSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 2 ** 30 })
  } catch {
    return null
  }
  const skills = new Map<string, object>()
  for (const paragraph of list.split('\n\n')) {
    const skill = packageOf(paragraph.replaceAll('\n ', ' '))
    if (skill !== null && skills.size < maxRepeated) {
      skills.set(`${skill.owner}/${skill.repo}`, skill)
    }
  }
  return writeSet(folder, skills.values(), (records) => `${records} packages of Debian`)
}

/** Null: it has no name, for instance the empty end of the list. */
function packageOf(paragraph: string) {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1]?.trim()
  const name = field('Package')
  const maintainer = field('Maintainer')?.replace(/<.*/, '')
  if (name === undefined || maintainer === undefined) {
    return null
  }
  const tags = (field('Tag') ?? '').split(/,\s*/)
  return {
    owner:
      maintainer
        .replace(/[^A-Za-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
        .slice(0, 39) || 'debian',
    repo: name.replaceAll('+', 'p'),
    name,
    description: field('Description'),
    topics: [field('Section') ?? 'misc', ...tags.map((tag) => tag.replaceAll(/[^a-z0-9]+/g, '-'))]
      .filter(Boolean)
      .slice(0, 10),
    stars: Number(field('Installed-Size') ?? 0),
  }
}

/** The skills with distinct ids. */
async function readSkills(paths: string[]): Promise<Skill[]> {
  const { signal } = new AbortController()
  const skills = new Map<string, Skill>()
  const watcher = {
    read() {},
    dealtWith() {},
    rejected() {},
    dropped() {},
    unreadable({ label, reason }: { label: string; reason: string }) {
      throw new Error(`${label} ${reason}`)
    },
  }
  const found = await findSources(paths, null, signal)
  const options = { type: 'skills', catalog: null, stdin: Readable.from([]), watcher, signal } as const
  await readRecords(found, options, ({ mapped }) => {
    if ('record' in mapped && mapped.record.state === 'published' && skills.size < maxRepeated) {
      skills.set(mapped.id, toPublicSkill(mapped.record))
    }
  })
  if (skills.size === 0) {
    throw new Error(`no published skill in ${paths.join(', ')}`)
  }
  return [...skills.values()]
}

function* repeatedSkills(skills: Skill[]): Generator<Skill> {
  const ids = new Set<string>()
  for (let copy = 1; ids.size < maxRepeated; copy += 1) {
    for (const skill of skills) {
      const ending = copy === 1 ? '' : `-${copy}`
      const owner = `${skill.owner.slice(0, maxCharacters.segment - ending.length)}${ending}`
      const id = skillId(owner, skill.repo)
      if (ids.size < maxRepeated && !ids.has(id)) {
        ids.add(id)
        yield { ...skill, id, owner }
      }
    }
  }
}

/** The lines of a set, in batches: a set may be larger than memory. */
export async function* batchesOf({ path }: RecordSet, size: number): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const { bytes } of readLines(createReadStream(path))) {
    batch.push(String(bytes))
    if (batch.length === size) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) {
    yield batch
  }
}

/** The first of a list. */
export function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    yield item
    left -= 1
    if (left === 0) {
      return
    }
  }
}

/** Skills from the whole of a set, without the repeated ones, of which queries are made. */
export async function sampleOf(set: RecordSet): Promise<Skill[]> {
  const sample: Skill[] = []
  const step = Math.ceil(set.originals / maxSampled)
  let place = 0
  for await (const batch of batchesOf(set, 1_000)) {
    for (const line of batch) {
      if (place < set.originals && place % step === 0) {
        sample.push(JSON.parse(line) as Skill)
      }
      place += 1
    }
  }
  return sample
}

/** The same of seeded skills, which are in no file. */
export function sampleSeeded({ size }: { size: number }): Skill[] {
  const step = Math.ceil(size / maxSampled)
  const sample: Skill[] = []
  let place = 0
  for (const skill of seededSkills(size)) {
    if (place % step === 0) {
      sample.push(skill)
    }
    place += 1
  }
  return sample
}
