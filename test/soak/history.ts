import { isDeepStrictEqual } from 'node:util'
import type { Skill } from '../../shared/records/skill.js'
import type { Writer } from './plan-writes.js'

/** One state of the skill of an id. All times are milliseconds of one monotonic clock. */
interface State {
  /** What is stored; null: nothing. */
  skill: Skill | null
  /** Whether it is to be seen. */
  shown: boolean
  /** When it began to be written, and when it was certain to be written; infinity: it is not yet. */
  startedAt: number
  confirmedAt: number
}

/** Up to where the index of a healed catalog is known to have been: by id, the place of its state. */
export type Confirmed = ReadonlyMap<string, number>

/** When something was read, and from what: the records themselves, or the index that follows them. */
export interface Reading {
  source: 'records' | 'index'
  from: number
  to: number
  /** What was confirmed when it was asked for. */
  confirmed: Confirmed
}

const never: State = { skill: null, shown: false, startedAt: -Infinity, confirmedAt: -Infinity }

/** All states that skills were ever written in, and which of them a reader may meet when. */
export class History {
  readonly #states = new Map<string, State[]>()
  /** Ids whose documents others write: shown from when they were taken in, with their present content. */
  readonly #crawled = new Set<string>()
  readonly #clock: () => number
  #confirmed: Confirmed = new Map()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Notes that a state is about to be written. Call what it returns when that is certain. */
  begin(id: string, by: Writer, skill: Skill | null, shown: boolean): () => void {
    const state: State = { skill, shown, startedAt: this.#clock(), confirmedAt: Infinity }
    this.#states.set(id, [...this.#statesOf(id), state])
    if (by === 'crawler') {
      this.#crawled.add(id)
    }
    return () => {
      state.confirmedAt = this.#clock()
    }
  }

  /** Notes that the index holds, and from now on shows, what is stored now. */
  confirm(): void {
    this.#confirmed = new Map([...this.#states].map(([id, states]) => [id, states.length - 1]))
  }

  get confirmed(): Confirmed {
    return this.#confirmed
  }

  /** Every id that was ever written. */
  ids(): string[] {
    return [...this.#states.keys()]
  }

  /** What is published when nothing is being written. */
  published(): Map<string, Skill> {
    return new Map(
      [...this.#states].flatMap(([id, states]): [string, Skill][] => {
        const last = states.at(-1)
        return last?.shown === true && last.skill !== null ? [[id, last.skill]] : []
      }),
    )
  }

  /** The skill of this id in the version of so many stars; null: there was none. */
  version(id: string, stars: number | null): Skill | null {
    return this.#statesOf(id).find(({ skill }) => skill?.stars === stars)?.skill ?? null
  }

  /** What is wrong with having read this; null: nothing. */
  complaint(read: Skill, reading: Reading): string | null {
    const states = this.#statesOf(read.id)
    const place = states.findIndex(({ skill }) => skill !== null && isSame(skill, read))
    const state = states[place]
    if (state === undefined) {
      const known = this.version(read.id, read.stars)
      return known === null
        ? `${read.id} was read in a state that was never written: ${JSON.stringify(read)}`
        : `${read.id} was read as a mixture: ${JSON.stringify(read)} instead of ${JSON.stringify(known)}`
    }
    const fits =
      reading.source === 'index'
        ? state.shown && this.#mayLag(read.id, states, place, reading)
        : state.shown && isCurrent(states, place, reading)
    return fits ? null : `${read.id} was read as version ${read.stars}, ${this.#told(states, place, reading)}`
  }

  /** What is wrong with having been told that no such skill is published; null: nothing. */
  complaintAboutAbsence(id: string, reading: Reading): string | null {
    const states = this.#statesOf(id)
    const lags = reading.source === 'index' || this.#crawled.has(id)
    const fits = states.some(
      ({ shown }, place) =>
        !shown && (lags ? this.#mayLag(id, states, place, reading) : isCurrent(states, place, reading)),
    )
    return fits ? null : `${id} was not there, which is published ${this.#told(states, states.length - 1, reading)}`
  }

  /** The ids that were published from the beginning to the end, whatever of it was seen when. */
  throughout(reading: Reading): string[] {
    return this.ids().filter((id) => this.complaintAboutAbsence(id, reading) !== null)
  }

  #statesOf(id: string): State[] {
    return this.#states.get(id) ?? [never]
  }

  #mayLag(id: string, states: State[], place: number, { to, confirmed }: Reading): boolean {
    return place >= (confirmed.get(id) ?? 0) && (states[place]?.startedAt ?? Infinity) <= to
  }

  #told(states: State[], place: number, { source, from, to, confirmed }: Reading): string {
    const last = states.at(-1)
    const id = last?.skill?.id ?? ''
    return (
      `state ${place} of ${states.length - 1} (${states[place]?.shown ? 'shown' : 'not shown'}), from the ${source}, ` +
      `between ${Math.round(from)} and ${Math.round(to)} ms; confirmed: ${confirmed.get(id) ?? 0}; the last began at ` +
      `${Math.round(last?.startedAt ?? 0)}`
    )
  }
}

/** Whether a state may have been the present one at some time of the reading. */
function isCurrent(states: State[], place: number, { from, to }: Reading): boolean {
  const next = states[place + 1]
  return (states[place]?.startedAt ?? Infinity) <= to && (next === undefined || next.confirmedAt >= from)
}

/** When the catalog took it in is the catalog's own. */
const isSame = (one: Skill, other: Skill): boolean =>
  isDeepStrictEqual({ ...one, indexedAt: null }, { ...other, indexedAt: null })
