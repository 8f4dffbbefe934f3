import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { vocabulary } from '../../../services/indexer/seed/words.js'
import { repositoryId, type Skill } from '../../../shared/records/skill.js'
import { makeSeeded, startLoggingService } from '../embedded-catalog.js'
import { compareLoads, startLoadProcess, toMeasure } from '../load.js'
import { seededSkills } from '../record-sets.js'
import type { Measure, Part } from '../report.js'

const size = Number(process.env['BENCH_SKILLS'] ?? 20_000)

/** Different addresses of one kind that are requested in turn. */
const addresses = 200

/** At most 1.1 × the time. */
const atLeast = 1 / 1.1

/** Some skills of a set, and the sizes of its repositories of several. */
interface Known {
  sample: Skill[]
  sizes: Map<string, number>
}

/** A catalog of which half of the skills lie in repositories of 2 to 300, compared with one of as many repositories. */
export const repositories: Part = {
  name: 'repositories',
  summary: `requests a second of ${size.toLocaleString('en')} skills, half in repositories of 2 to 300, to as many apart`,
  async measure(folder) {
    const [apart, together] = [await makeIn(join(folder, 'apart'), true), await makeIn(join(folder, 'together'), false)]
    const load = startLoadProcess()
    const before = await startLoggingService(join(folder, 'apart'))
    const now = await startLoggingService(join(folder, 'together'))
    const measures: Measure[] = []
    for (const { name, paths, compared = paths, connections, aim } of subjects) {
      const usual = connections === undefined ? {} : { connections }
      const loads = await compareLoads(load, [
        { process: before, requests: requestsTo(compared(apart)), ...usual },
        { process: now, requests: requestsTo(paths(together)), ...usual },
      ])
      measures.push(toMeasure(name, 'apart', loads, aim))
    }
    return measures
  },
}

async function makeIn(folder: string, apart: boolean): Promise<Known> {
  mkdirSync(folder, { recursive: true })
  await makeSeeded(size, folder, apart)
  const known: Known = { sample: [], sizes: new Map() }
  const step = Math.ceil(size / addresses)
  let place = 0
  for (const skill of seededSkills(size, apart)) {
    if (place % step === 0) {
      known.sample.push(skill)
    }
    if (skill.skill !== null) {
      const id = repositoryId(skill.id)
      known.sizes.set(id, (known.sizes.get(id) ?? 0) + 1)
    }
    place += 1
  }
  return known
}

const requestsTo = (paths: string[]) =>
  paths.slice(0, addresses).map((path) => ({ path, headers: { 'Accept-Encoding': 'identity' } }))

const one = ({ sample }: Known): string[] => sample.map(({ id }) => `/api/skills/${id}`)

const viewsOf =
  (least: number, most: number) =>
  ({ sizes }: Known): string[] =>
    [...sizes].filter(([, skills]) => skills >= least && skills <= most).map(([id]) => `/api/skills/${id}`)

/** A view of a repository is compared with one skill. */
const subjects: {
  name: string
  paths: (known: Known) => string[]
  compared?: (known: Known) => string[]
  /** See `LoadedSystem`. */
  connections?: number
  aim?: Measure['aim']
}[] = [
  { name: 'one skill', paths: one, aim: { atLeast } },
  {
    name: 'list of 20',
    paths: () =>
      ['updated', 'stars', 'created', 'name'].flatMap((sort) =>
        Array.from({ length: 50 }, (_, page) => `/api/skills?limit=20&sort=${sort}&page=${page + 1}`),
      ),
    aim: { atLeast },
  },
  {
    name: 'list of an owner',
    paths: ({ sample }) => sample.map(({ owner }) => `/api/skills?limit=20&owner=${owner}`),
    aim: { atLeast },
  },
  {
    name: 'search',
    paths: () =>
      vocabulary.slice(0, addresses).map((word, at) => `/api/v1/skills/search?q=${word}+${vocabulary[at + 9]}`),
    connections: 4,
    aim: { atLeast },
  },
  { name: 'repository of 2 to 5', paths: viewsOf(2, 5), compared: one },
  { name: 'repository of 20 to 99', paths: viewsOf(20, 99), compared: one },
  { name: 'repository of 100 to 300', paths: viewsOf(100, 300), compared: one },
]
