import { type StoredSkill, skillId } from '../../../shared/records/skill.js'
import { NameSet } from './name-set.js'
import { ownerCount, ownerName } from './owners.js'
import { Random } from './random.js'
import { makeTimes } from './times.js'
import { topics } from './vocabulary.js'
import { capitalized, Writer } from './writer.js'
import { weighted, Zipf } from './zipf.js'

/** Share of skills in a language other than English. */
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

const topicRanks = new Zipf(topics.length, 0.8)
const emoji = ['🚀', '✨', '🔥', '📄', '🤖', '🧪', '🛠️', '👩🏽‍💻', '🇪🇺']

/**
 * Generates skills with distinct ids; the same ones, in the same order, for the same count and seed. Takes two bytes of
 * memory per skill.
 */
export function* generateSkills(count: number, seed: number): Generator<StoredSkill> {
  const random = new Random(seed, 'skills')
  const writer = new Writer(random)
  const owners = new Zipf(ownerCount(count), 0.7, 3)
  const names = new NameSet(count)
  for (let index = 0; index < count; index += 1) {
    const owner = ownerName(owners.draw(random))
    const words = writer.words(random.between(1, 3))
    const plain = words.join('-')
    // Words never end in digits, so that a name with the index is unique.
    const repo = names.add(`${owner}/${plain}`) ? `${plain}-${index}` : plain
    const text = random.chance(foreignShare) ? writer.foreign(random.between(4, 16)) : null
    yield {
      id: skillId(owner, repo),
      owner,
      repo,
      name: text?.name ?? (random.chance(0.6) ? words.map(capitalized).join(' ') : repo),
      description: text?.text ?? describe(writer, random),
      topics: drawTopics(random),
      license: pickLicense(random),
      language: pickLanguage(random),
      homepage: random.chance(0.2) ? `https://${plain}.example/` : null,
      url: `https://git.example/${owner}/${repo}`,
      ...drawStars(random),
      version: random.chance(0.7) ? `${random.pareto(1, 9)}.${random.between(0, 12)}.${random.pareto(1.2, 40)}` : null,
      archived: random.chance(0.03),
      ...makeTimes(random),
      indexedAt: null,
      skill: null,
      path: null,
      commit: null,
      digest: null,
      state: 'published',
      removedAt: null,
      formerIds: random.chance(0.002) ? [skillId(owner, `${repo}-old-${index}`)] : [],
      // Real catalogs contain private fields; a generated one must contain some too.
      ...(random.chance(0.1) ? { submitter: `${words[0]}-${index}@mail.example` } : {}),
    }
  }
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
