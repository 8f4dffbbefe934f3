import { isDeepStrictEqual } from 'node:util'
import type { Skill } from '../../shared/records/skill.js'
import type { Writer } from './plan-writes.js'

/** One state of the skill of an id. All times are milliseconds of one monotonic clock. */
interface State {
  /** The stored skill; null: none. */
  skill: Skill | null
  /** Whether it is published. */
  shown: boolean
  /** Whether another application wrote it into the document: it is seen once the document has been read. */
  isForeign: boolean
  /** Start and confirmation of the write, and when a later one was seen; infinity: not yet. */
  startedAt: number
  confirmedAt: number
  replacedAt: number
}

/** The states that the index of a recovered catalog contained, by id and place. */
export type Confirmed = ReadonlyMap<string, number>

/** The time and source of a read: the records, or the index that follows them. */
export interface Reading {
  source: 'records' | 'index'
  from: number
  to: number
  /** At the time of the request. */
  confirmed: Confirmed
}

const atNoTime = { startedAt: Infinity, confirmedAt: Infinity, replacedAt: Infinity }

const never = (): State => ({
  skill: null,
  shown: false,
  isForeign: false,
  ...atNoTime,
  startedAt: -Infinity,
  confirmedAt: -Infinity,
})

/** All written states of skills, and the times at which readers may see them. */
export class History {
  readonly #states = new Map<string, State[]>()
  /** Ids of documents of other applications. */
  readonly #crawled = new Set<string>()
  /** Documents with ids under which the catalog had them: one may be renamed twice before the catalog reads it. */
  readonly #ingested = new Set<string>()
  /** By document: its skill's present id, null while it is not published, and the ids that it had before. */
  readonly #names = new Map<string, { id: string | null; formerIds: string[] }>()
  readonly #clock: () => number
  #confirmed: Confirmed = new Map()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Records the start of a write. @param by `moderator`: in a document that the store writes @returns confirms the write */
  begin(id: string, by: Writer | 'moderator', skill: Skill | null, shown: boolean): () => void {
    const state: State = { skill, shown, isForeign: by !== 'store', ...atNoTime, startedAt: this.#clock() }
    this.#states.set(id, [...this.#statesOf(id), state])
    if (by === 'crawler') {
      this.#crawled.add(id)
    }
    return () => {
      state.confirmedAt = this.#clock()
    }
  }

  /** Records the names of a document's skill. @param id null: it is not published */
  name(document: string, id: string | null, formerIds: string[]): void {
    this.#names.set(document, { id, formerIds })
  }

  /** The present ids of published skills by their former ids, while no write is in progress. */
  renamed(): Map<string, string> {
    const published = this.published()
    const leadsOn = (document: string, id: string) =>
      !published.has(id) && (this.#ingested.has(`${document} ${id}`) || !this.#crawled.has(id))
    return new Map(
      [...this.#names].flatMap(([document, { id, formerIds }]) =>
        id === null
          ? []
          : formerIds.filter((former) => leadsOn(document, former)).map((former) => [former, id] as const),
      ),
    )
  }

  /** Records that the records are in the current states, and that the index contains them. */
  confirm(): void {
    for (const [document, { id }] of this.#names) {
      this.#ingested.add(`${document} ${id}`)
    }
    for (const state of [...this.#states.values()].flatMap((states) => states.slice(0, -1))) {
      state.replacedAt = Math.min(state.replacedAt, this.#clock())
    }
    this.#confirmed = new Map([...this.#states].map(([id, states]) => [id, states.length - 1]))
  }

  get confirmed(): Confirmed {
    return this.#confirmed
  }

  ids(): string[] {
    return [...this.#states.keys()]
  }

  /** All written ids of the skills that have a name of their own in a repository. */
  idsOf(repository: string): string[] {
    return this.ids().filter((id) => id.startsWith(`${repository}@`))
  }

  /** The published skills while no write is in progress. */
  published(): Map<string, Skill> {
    return new Map(
      [...this.#states].flatMap(([id, states]): [string, Skill][] => {
        const last = states.at(-1)
        return last?.shown === true && last.skill !== null ? [[id, last.skill]] : []
      }),
    )
  }

  /** The ids whose published skills differ from these, with both. */
  *differences(copy: ReadonlyMap<string, Skill>): Generator<[string, Skill | undefined, Skill | undefined]> {
    const published = this.published()
    for (const id of new Set([...published.keys(), ...copy.keys()])) {
      const [written, read] = [published.get(id), copy.get(id)]
      if (written === undefined || read === undefined || !isSame(written, read)) {
        yield [id, written, read]
      }
    }
  }

  /** The version of a skill with this number of stars; null: none. */
  version(id: string, stars: number | null): Skill | null {
    return this.#statesOf(id).find(({ skill }) => skill?.stars === stars)?.skill ?? null
  }

  /** Why this state must not have been read; null: it may. */
  violation(read: Skill, reading: Reading): string | null {
    const states = this.#statesOf(read.id)
    const place = states.findIndex(({ skill }) => skill !== null && isSame(skill, read))
    const state = states[place]
    if (state === undefined) {
      const known = this.version(read.id, read.stars)
      return known === null
        ? `${read.id} was read in a state that was never written: ${JSON.stringify(read)}`
        : `${read.id} was read as a mixture: ${JSON.stringify(read)} instead of ${JSON.stringify(known)}`
    }
    const fits = state.shown && this.#mayBeRead(read.id, states, place, reading)
    return fits ? null : `${read.id} was read as version ${read.stars}, ${this.#describe(states, place, reading)}`
  }

  /** Why the skill must not have been absent; null: it may. */
  absenceViolation(id: string, reading: Reading): string | null {
    const states = this.#statesOf(id)
    const fits = states.some(({ shown }, place) => !shown && this.#mayBeRead(id, states, place, reading))
    return fits ? null : `${id} was absent, but it is published: ${this.#describe(states, states.length - 1, reading)}`
  }

  /** The ids that were published during the whole reading. */
  throughout(reading: Reading): string[] {
    return this.ids().filter((id) => this.absenceViolation(id, reading) !== null)
  }

  #statesOf(id: string): State[] {
    return this.#states.get(id) ?? [never()]
  }

  /** An index shows a state until it has the next one; records, until the store writes, or a later one was seen. */
  #mayBeRead(id: string, states: State[], place: number, { source, from, to, confirmed }: Reading): boolean {
    const { startedAt = Infinity, replacedAt = Infinity } = states[place] ?? {}
    const ownAfter = states.slice(place + 1).filter(({ isForeign }) => !isForeign)
    return (
      startedAt <= to &&
      (source === 'index'
        ? place >= (confirmed.get(id) ?? 0)
        : replacedAt >= from && ownAfter.every(({ confirmedAt }) => confirmedAt >= from))
    )
  }

  #describe(states: State[], place: number, { source, from, to, confirmed }: Reading): string {
    const last = states.at(-1)
    const id = last?.skill?.id ?? ''
    return (
      `state ${place} of ${states.length - 1} (${states[place]?.shown ? 'shown' : 'not shown'}), from the ${source}, ` +
      `between ${Math.round(from)} and ${Math.round(to)} ms; confirmed: ${confirmed.get(id) ?? 0}; the last began at ` +
      `${Math.round(last?.startedAt ?? 0)}`
    )
  }
}

/** `indexedAt` is set by the catalog. */
const isSame = (one: Skill, other: Skill): boolean =>
  isDeepStrictEqual({ ...one, indexedAt: null }, { ...other, indexedAt: null })
