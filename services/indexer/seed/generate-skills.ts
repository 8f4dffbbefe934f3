import { hash } from 'node:crypto'
import { maxCharacters } from '../../../shared/records/fields.js'
import { type StoredSkill, skillId } from '../../../shared/records/skill.js'
import { IdSet } from '../import/record-ids.js'
import { capitalized, makeTimes, ownerCount, ownerName, Writer } from './generate-records.js'
import { Random, weighted, Zipf } from './random.js'
import { topics } from './words.js'

const maxOfRepository = 300

const foreignShare = 0.05

const pickLanguage = weighted<string | null>([
  [null, 14],
  ['Python', 26],
  ['TypeScript', 17],
  ['JavaScript', 11],
  ['Go', 7],
  ['Rust', 6],
  ['Shell', 5],
  ['Java', 3],
  ['C++', 2.5],
  ['Ruby', 1.8],
  ['Swift', 1.5],
  ['C#', 1.4],
  ['Kotlin', 1],
  ['PHP', 1],
  ['Elixir', 0.6],
  ['Lua', 0.5],
  ['Haskell', 0.3],
  ['Zig', 0.2],
])

const pickLicense = weighted<string | null>([
  [null, 22],
  ['MIT', 44],
  ['Apache-2.0', 17],
  ['GPL-3.0', 5],
  ['BSD-3-Clause', 3.5],
  ['AGPL-3.0', 2.5],
  ['CC-BY-4.0', 1.5],
  ['MPL-2.0', 1.5],
  ['ISC', 1],
  ['Unlicense', 1],
  ['CC0-1.0', 0.7],
  ['LGPL-3.0', 0.3],
])

const pickFolder = weighted([
  ['skills/', 60],
  ['', 15],
  ['.claude/skills/', 15],
  ['plugins/tools/skills/', 10],
])

const topicRanks = new Zipf(topics.length, 0.8)
const emoji = ['🚀', '✨', '🔥', '📄', '🤖', '🧪', '🛠️', '👩🏽‍💻', '🇪🇺']

/** What the skills of one repository have in common. */
interface Repository {
  owner: string
  repo: string
  /** Words of its name. */
  words: string[]
  stars: number | null
  forks: number | null
  license: string | null
  language: string | null
  /** From which its skills were read; null: only a registry names them. */
  commit: string | null
  /** Of its skills; null: its root, and the repository is the skill. */
  folder: string | null
  /** Its name before; null: it was never renamed. */
  before: string | null
  /** Names of its skills so far. */
  skills: Set<string>
  archived: boolean
}

/**
 * Generates skills with distinct ids; the same ones, in the same order, for the same count and seed. Half of them lie in
 * repositories of 2 to 300 skills, whose names repeat across repositories. Keeps of each repository only what an `IdSet` does.
 *
 * @param apart each repository is one skill
 */
export function* generateSkills(count: number, seed: number, apart = false): Generator<StoredSkill> {
  const random = new Random(seed, 'skills')
  const writer = new Writer(random)
  const owners = new Zipf(ownerCount(count), 0.7, 3)
  const names = new IdSet()
  let amongOthers = 0
  for (let index = 0; index < count; ) {
    const isShared = !apart && amongOthers <= index / 2
    const size = isShared ? Math.min(2 + random.pareto(1.1, maxOfRepository - 2), count - index) : 1
    amongOthers += isShared ? size : 0
    const repository = drawRepository(random, writer, { index, isShared, names, owner: ownerName(owners.draw(random)) })
    for (const end = index + size; index < end; index += 1) {
      yield drawSkill(random, writer, repository, index)
    }
  }
}

function drawRepository(
  random: Random,
  writer: Writer,
  { index, isShared, names, owner }: { index: number; isShared: boolean; names: IdSet; owner: string },
): Repository {
  const words = writer.words(random.between(1, 3))
  const plain = words.join('-')
  // Words never end in digits, so that a name with the index is unique.
  const repo = names.add(`${owner}/${plain}`) ? plain : `${plain}-${index}`
  return {
    owner,
    repo,
    words,
    ...drawStars(random),
    license: pickLicense(random),
    language: pickLanguage(random),
    commit: isShared || random.chance(0.5) ? hash('sha1', `${owner}/${repo}`) : null,
    folder: isShared ? pickFolder(random) : null,
    before: random.chance(0.002) ? `${repo}-old-${index}` : null,
    skills: new Set(),
    archived: random.chance(0.03),
  }
}

function drawSkill(random: Random, writer: Writer, repository: Repository, index: number): StoredSkill {
  const { owner, repo, folder, before, stars, forks, license, language, archived, commit } = repository
  const words = folder === null ? repository.words : writer.words(random.chance(0.7) ? 1 : 2)
  const skill = folder === null ? null : drawName(words, repository.skills)
  const plain = words.join('-')
  const text = random.chance(foreignShare) ? writer.foreign(random.between(4, 16)) : null
  const id = skillId(owner, repo, skill)
  return {
    id,
    owner,
    repo,
    name: text?.name ?? (random.chance(0.6) ? words.map(capitalized).join(' ') : (skill ?? repo)),
    description: text?.text ?? describe(writer, random),
    topics: drawTopics(random),
    license,
    language,
    homepage: random.chance(0.2) ? `https://${plain}.example/` : null,
    url: `https://git.example/${owner}/${repo}`,
    stars,
    forks,
    version: random.chance(0.7) ? `${random.pareto(1, 9)}.${random.between(0, 12)}.${random.pareto(1.2, 40)}` : null,
    archived,
    ...makeTimes(random),
    indexedAt: null,
    skill,
    path: skill !== null ? `${folder}${skill}` : commit === null ? null : '',
    commit,
    digest: commit === null ? null : `sha256:${hash('sha256', id)}`,
    state: 'published',
    removedAt: null,
    formerIds: before === null ? [] : [skillId(owner, before, skill)],
    // Real catalogs contain private fields; a generated one must contain some too.
    ...(random.chance(0.1) ? { submitter: `${words[0]}-${index}@mail.example` } : {}),
  }
}

/** A name that no other skill of the repository has. @param taken receives it */
function drawName(words: string[], taken: Set<string>): string {
  const plain = words.join('-').slice(0, maxCharacters.skill - 4)
  const name = taken.has(plain) ? `${plain}-${taken.size}` : plain
  taken.add(name)
  return name
}

function describe(writer: Writer, random: Random): string | null {
  if (random.chance(0.03)) {
    return null
  }
  const text = writer.paragraph(random.chance(0.004) ? random.between(200, 800) : random.between(6, 28))
  return random.chance(0.04) ? `${emoji[random.between(0, emoji.length - 1)]} ${text}` : text
}

function drawTopics(random: Random): string[] {
  const drawn: string[] = []
  for (let left = random.chance(0.2) ? 0 : random.between(1, 6); left > 0; left -= 1) {
    const topic = topicRanks.pick(topics, random)
    if (!drawn.includes(topic)) {
      drawn.push(topic)
    }
  }
  return drawn
}

function drawStars(random: Random): { stars: number | null; forks: number | null } {
  if (random.chance(0.08)) {
    return { stars: null, forks: null }
  }
  const stars = random.pareto(0.55, 350_000)
  return { stars, forks: Math.floor(stars * (0.04 + random.next() * 0.2)) }
}
