import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Embedder, Vector } from '../../../shared/ports/embedder.js'
import type { SearchHit, Span } from '../../../shared/ports/search-index.js'
import type { Passage } from '../../../shared/ports/skill-texts.js'
import { skillOf } from '../../../shared/records/skill.js'
import type { Logger } from '../../../shared/runtime/log.js'
import { escapeHtml } from '../../../shared/text/html.js'
import { type Backends, Dependency } from '../observability/backends.js'
import { filterParameters } from '../request/parameters.js'

export interface QueryVectorsOptions {
  embedder: Pick<Embedder, 'kind' | 'embed'>
  log: Logger
  /** Called for each text without a vector: its search is by words only. */
  onUnavailable: () => void
  /** Milliseconds that a search waits. Default 300. */
  timeLimitMs?: number
  /** Milliseconds after which a call that nobody waits for is aborted. Default 30,000: a model may be loading. */
  lateLimitMs?: number
  /** Milliseconds without a call after a failure. Default 5,000. */
  pauseMs?: number
  /** Texts whose vectors are kept. Default 5,000. */
  maxTexts?: number
  /** Epoch milliseconds. */
  clock?: () => number
}

/** Bytes of kept vectors with their texts: 5,000 of 1,536 numbers. */
const maxBytes = 32 * 1024 * 1024

/** Calls at the same time. A model that needs more than these cannot keep pace anyway. */
const maxRunning = 32

/**
 * The vectors of search texts. A search never waits long for the embedder, and does not fail with it: after a failure
 * or a timeout there is no call for some seconds, then one that shows whether the embedder answers again. A late answer
 * is kept as well, so that a slow model serves the searches that repeat.
 */
export class QueryVectors {
  readonly #options: Required<QueryVectorsOptions>
  /** Limits the time, and logs an outage once. */
  readonly #dependency: Dependency
  readonly #kept: LRUCache<string, Vector>
  /** Calls in progress, by text. */
  readonly #running = new Map<string, Promise<Vector>>()
  /** Until when no call is made, after a failure; null: the last call succeeded. */
  #pausedUntilMs: number | null = null

  constructor(options: QueryVectorsOptions) {
    const defaults = { timeLimitMs: 300, lateLimitMs: 30_000, pauseMs: 5_000, maxTexts: 5_000, clock: Date.now }
    this.#options = { ...defaults, ...options }
    const { log, timeLimitMs, clock } = this.#options
    this.#kept = new LRUCache({
      max: this.#options.maxTexts,
      maxSize: maxBytes,
      sizeCalculation: ({ byteLength }, text) => byteLength + 2 * text.length,
    })
    this.#dependency = new Dependency({ name: 'embedder', code: 'embedder_unavailable', log, timeLimitMs, clock })
  }

  /** The vector of a text; null: the embedder is unavailable, or too slow. Never throws. */
  async vectorOf(text: string): Promise<Vector | null> {
    const kept = this.#kept.get(text)
    if (kept !== undefined) {
      return kept
    }
    const vector = await this.#ask(text)
    if (vector === null) {
      this.#options.onUnavailable()
    }
    return vector
  }

  async #ask(text: string): Promise<Vector | null> {
    if (this.#pausedUntilMs !== null) {
      if (this.#options.clock() < this.#pausedUntilMs) {
        return null
      }
      // This call shows whether the embedder answers again; until it has, there is no other.
      this.#pause()
    }
    const running = this.#running.get(text) ?? this.#call(text)
    if (running === null) {
      return null
    }
    try {
      return await this.#dependency.call(() => running)
    } catch {
      // Logged by the dependency.
      this.#pause()
      return null
    }
  }

  /** Starts a call whose answer is kept, in time or late; null: there are too many. */
  #call(text: string): Promise<Vector> | null {
    if (this.#running.size >= maxRunning) {
      return null
    }
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new Error('no answer')), this.#options.lateLimitMs)
    // The timer must not keep a process alive that is ending.
    timer.unref()
    const call = async (): Promise<Vector> => {
      const [vector] = await this.#options.embedder.embed([text], 'query', stop.signal)
      if (vector === undefined) {
        throw new Error('the embedder returned no vector')
      }
      this.#kept.set(text, vector)
      this.#pausedUntilMs = null
      return vector
    }
    const running = call().finally(() => {
      clearTimeout(timer)
      this.#running.delete(text)
    })
    this.#running.set(text, running)
    return running
  }

  #pause(): void {
    this.#pausedUntilMs = this.#options.clock() + this.#options.pauseMs
  }
}

/** A page of hits does not wait longer for its passages: it is complete without them. */
const passagesLimitMs = 1_000

/**
 * The passages of the texts in which words of a query were found, for each hit; null: no word is in its text alone, or the
 * catalog does not answer.
 */
export async function findPassages(
  catalog: Pick<Backends['catalog'], 'findPassages'>,
  hits: SearchHit[],
): Promise<(Passage | null)[]> {
  const queries = hits.map((hit) => {
    const { id, digest } = hit.textWords.length === 0 ? { id: '', digest: null } : skillOf(hit)
    return { id, digest, stems: hit.textWords }
  })
  const wanted = queries.filter(({ stems }) => stems.length > 0)
  if (wanted.length === 0) {
    return hits.map(() => null)
  }
  const found = new AbortController()
  const late = sleep(passagesLimitMs, null, { signal: found.signal }).catch(() => null)
  const passages = await Promise.race([catalog.findPassages(wanted).catch(() => null), late])
  found.abort()
  return queries.map(({ id }) => passages?.get(id) ?? null)
}

/**
 * A text as HTML with its matches in `<em>`, or null when it has none. The rest is escaped: a description is untrusted
 * text.
 *
 * @param matches in any order; overlapping and adjacent ones are merged
 */
export function highlight(text: string | null, matches: Span[] | undefined): string | null {
  if (text === null || matches === undefined || matches.length === 0) {
    return null
  }
  let html = ''
  let written = 0
  for (const { start, end } of merged(text, matches)) {
    html += `${escapeHtml(text.slice(written, start))}<em>${escapeHtml(text.slice(start, end))}</em>`
    written = end
  }
  return html + escapeHtml(text.slice(written))
}

function merged(text: string, matches: Span[]): { start: number; end: number }[] {
  const ranges = matches
    .map(({ start, length }) => ({
      start: wholeCharacter(text, start, -1),
      end: wholeCharacter(text, start + length, 1),
    }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start)
  const apart: { start: number; end: number }[] = []
  for (const range of ranges) {
    const last = apart.at(-1)
    if (last !== undefined && range.start <= last.end) {
      last.end = Math.max(last.end, range.end)
    } else {
      apart.push(range)
    }
  }
  return apart
}

/** A position in the text, moved out of the middle of a surrogate pair. */
function wholeCharacter(text: string, position: number, direction: 1 | -1): number {
  const within = Math.min(Math.max(position, 0), text.length)
  const splits = /^[\udc00-\udfff]$/.test(text.charAt(within)) && /^[\ud800-\udbff]$/.test(text.charAt(within - 1))
  return splits ? within + direction : within
}

/** A part of a search text that would be a filter elsewhere. */
export const FilterHint = z.object({
  text: z.string().describe('the part of q, for instance owner:acme'),
  parameter: z.enum(['owner', 'topic', 'license', 'language']),
  value: z.string().describe('what to ask the parameter for'),
  message: z.string().describe('what was done, and what to ask for instead'),
})
export type FilterHint = z.infer<typeof FilterHint>

/** The names that searches of code hosts give to these filters. */
const parameters: Record<string, FilterHint['parameter']> = {
  owner: 'owner',
  user: 'owner',
  org: 'owner',
  topic: 'topic',
  license: 'license',
  licence: 'license',
  language: 'language',
  lang: 'language',
}

const filterPattern = new RegExp(
  `(?<!\\S)(${Object.keys(parameters).join('|')}):(?:["“”„]([^"“”„]+)["“”„]|([^\\s"“”„]+))`,
  'giu',
)

/**
 * The parts of a search text that look like filters: `owner:acme`, `topic:"machine learning"`. A search text is text and
 * never syntax, so they are searched for, and the answer says how to filter.
 *
 * @param q the search text
 * @returns each of them once, in their order
 */
export function filterHints(q: string): FilterHint[] {
  const hints = new Map<string, FilterHint>()
  for (const [text, name = '', quoted, word = ''] of q.matchAll(filterPattern)) {
    const parameter = parameters[name.toLowerCase()]
    const value = (quoted ?? word.replace(/[,;.?!)]+$/, '')).trim()
    const given = parameter === 'topic' ? [value] : value
    if (parameter !== undefined && filterParameters[parameter].safeParse(given).success) {
      const instead = new URLSearchParams({ [parameter]: value })
      const message = `${text} is searched for as text. To filter, ask with ${instead}, and without it in q.`
      hints.set(text, { text, parameter, value, message })
    }
  }
  return [...hints.values()]
}
