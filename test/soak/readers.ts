import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, weighted } from '../../services/indexer/seed/random.js'
import { organizationOf, repositoryId, type Skill, type SkillRow } from '../../shared/records/skill.js'
import { digestOf } from '../faults/support/download.js'
import type { Answer, ApiClient } from './api-client.js'
import { downloadInTwoParts } from './downloads.js'
import type { History, Reading } from './history.js'
import { pick } from './pick.js'
import { wordOf } from './plan-writes.js'
import { type RepositoryAnswer, repositoryViolations } from './repository-view.js'
import type { SoakLog } from './soak-log.js'

export interface ReaderDeps {
  client: ApiClient
  history: History
  log: SoakLog
  random: Random
  /** Whether a search shows a skill as it is stored, which may be newer than the word that found it: in embedded mode. */
  showsStored: boolean
}

/** Reports the skills that must not have been read in their states. */
export function judgeStates(
  { history, log }: Pick<ReaderDeps, 'history' | 'log'>,
  skills: Skill[],
  reading: Reading,
): void {
  for (const skill of skills) {
    const violation = history.violation(skill, reading)
    if (violation !== null) {
      log.violation('state', violation)
    }
  }
}

/** A hit of a search: a skill, and what the search says of it. */
type Found = Skill & { score: number | null; passage: string | null; duplicates: number }

interface ListAnswer {
  data: Skill[]
  missing?: { id: string }[]
}

const pauseMs = 30

/** Sends random requests, and compares every response with the history. */
export class Readers {
  readonly #deps: ReaderDeps
  /** The last response by path, which a 304 confirms. */
  readonly #last = new Map<string, Answer>()
  /** Number of skills in all responses. */
  skillsRead = 0

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    const draw = weighted([
      [() => this.#one(), 30],
      [() => this.#repository(repositoryId(this.#anyId())), 15],
      [() => this.#some(), 15],
      [() => this.#page(), 15],
      [() => this.#found(), 20],
      [() => this.#foundByWord(), 15],
      [() => this.#suggested(), 10],
      [() => this.#download(), 3],
      [() => downloadInTwoParts(this.#deps), 1],
    ])
    while (!signal.aborted) {
      await draw(this.#deps.random)()
      await sleep(pauseMs)
    }
  }

  async #one(): Promise<void> {
    const id = this.#anyId()
    if (!id.includes('@')) {
      return this.#repository(id)
    }
    const answer = await this.#askAgain(`/api/skills/${this.#written(id)}`)
    if (answer?.status === 200) {
      this.#judge([(answer.json() as { data: Skill }).data], 'records', answer)
    } else if (answer !== null) {
      this.#judgeAbsence([id], answer)
    }
  }

  /** A repository is shown with the skills in it, whether it is one itself or not. */
  async #repository(id: string): Promise<void> {
    const answer = await this.#askAgain(`/api/skills/${id}`)
    if (answer !== null) {
      const shown = answer.status === 200 ? (answer.json() as RepositoryAnswer) : null
      for (const violation of repositoryViolations(id, shown, answer.reading, this.#deps.history)) {
        this.#deps.log.violation('repository', violation)
      }
    }
  }

  async #some(): Promise<void> {
    const ids = [...new Set(Array.from({ length: 20 }, () => this.#anyId()))]
    const answer = await this.#deps.client.ask(`/api/skills?ids=${ids.map((id) => this.#written(id)).join(',')}`)
    if (answer !== null) {
      const { data, missing = [] } = answer.json() as ListAnswer
      this.#judge(data, 'records', answer)
      this.#judgeAbsence(
        missing.map(({ id }) => id),
        answer,
      )
    }
  }

  async #page(): Promise<void> {
    const sort = pick(this.#deps.random, ['updated', 'stars', 'created', 'name'])
    const answer = await this.#askAgain(`/api/skills?limit=50&sort=${sort}`)
    if (answer !== null) {
      const { data } = answer.json() as ListAnswer
      this.#judge(data, 'records', answer)
      if (new Set(data.map(({ id }) => id)).size !== data.length) {
        this.#deps.log.violation('page', `a page by ${sort} has a skill twice`)
      }
    }
  }

  async #found(): Promise<void> {
    const q = pick(this.#deps.random, ['tool', 'tests', 'ledger', 'harrow kiln', 'license', this.#anyId()])
    await this.#search(q)
  }

  /** A hit must have the version whose word was searched, or a later one where it is shown as it is stored. */
  async #foundByWord(): Promise<void> {
    const { history, random, log, showsStored } = this.#deps
    const known = [...history.published().values()]
    const version = pick(random, known)?.stars ?? 1
    for (const { id, stars } of await this.#search(`"${wordOf(version)}"`)) {
      const isLater = showsStored && stars !== null && stars > version
      if (stars !== version && !isLater) {
        log.violation('mixture', `${id} was found by the word of version ${version}, and shown as version ${stars}`)
      }
    }
  }

  async #search(q: string): Promise<Skill[]> {
    const answer = await this.#askAgain(`/api/v1/skills/search?limit=50&q=${encodeURIComponent(q)}`)
    if (answer === null) {
      return []
    }
    const hits = (answer.json() as { data: Found[] }).data
    const skills = hits.map(({ score: _score, passage: _passage, duplicates: _duplicates, ...skill }) => skill)
    this.#judge(skills, 'index', answer)
    return skills
  }

  async #suggested(): Promise<void> {
    const { client, history, log } = this.#deps
    const answer = await client.ask(`/api/v1/skills/suggest?q=${encodeURIComponent(this.#anyId().slice(0, 12))}`)
    for (const suggested of (answer?.json() as { data: Skill[] } | undefined)?.data ?? []) {
      const skill = history.version(suggested.id, suggested.stars)
      if (skill === null || !Object.entries(suggested).every(([name, value]) => skill[name as keyof Skill] === value)) {
        log.violation('suggestion', `this was never written: ${JSON.stringify(suggested)}`)
      } else if (answer !== null) {
        this.#judge([skill], 'index', answer)
      }
    }
  }

  /** A file must be complete, and contain states since its generation. */
  async #download(): Promise<void> {
    const answer = await this.#deps.client.ask('/api/v1/export?type=skills&format=json', {
      'Accept-Encoding': 'identity',
    })
    if (answer === null) {
      return
    }
    if (answer.headers.get('repr-digest') !== digestOf(answer.body)) {
      this.#deps.log.violation('download', `${answer.headers.get('content-location')} is not what its digest says`)
      return
    }
    const { generatedAt, data } = answer.json() as { generatedAt: string; data: SkillRow[] }
    const skills = data.map(({ organization, ...skill }) => {
      if (organization !== organizationOf(skill.owner)) {
        this.#deps.log.violation('download', `${skill.id} was listed as a skill of ${organization}`)
      }
      return { ...skill, path: skill.path === '.' ? '' : skill.path }
    })
    const from = performance.now() - (Date.now() - Date.parse(generatedAt)) - clockSlackMs
    this.#judge(skills, 'records', { ...answer, reading: { ...answer.reading, from } })
  }

  /** As `ask`, conditional on the last response. */
  async #askAgain(path: string): Promise<Answer | null> {
    const last = this.#last.get(path)
    const etag = last?.headers.get('etag')
    const answer = await this.#deps.client.ask(path, etag ? { 'If-None-Match': etag } : {})
    if (answer?.status === 304 && last !== undefined) {
      return { ...last, reading: answer.reading }
    }
    if (answer?.status === 200) {
      this.#last.set(path, answer)
    }
    return answer
  }

  #judge(skills: Skill[], source: Reading['source'], { reading }: Answer): void {
    this.skillsRead += skills.length
    judgeStates(this.#deps, skills, { ...reading, source })
  }

  #judgeAbsence(ids: string[], { reading }: Answer): void {
    for (const id of ids) {
      const violation = this.#deps.history.absenceViolation(id, { ...reading, source: 'records' })
      if (violation !== null) {
        this.#deps.log.violation('absence', violation)
      }
    }
  }

  /** An id as people and programs write it. */
  #written(id: string): string {
    return pick(this.#deps.random, [id, id.toUpperCase(), id.replace('@', '%40')])
  }

  #anyId(): string {
    return pick(this.#deps.random, this.#deps.history.ids())
  }
}

/** Tolerance between the wall clock and the monotonic clock. */
const clockSlackMs = 50
