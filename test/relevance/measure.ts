import { formatTable } from '../bench/report.js'
import { askAll, type Engine } from './engine.js'
import { type Estimate, estimate, type Query, type QuerySet } from './metrics.js'

/** One query, and what an engine has answered. */
interface Result {
  query: Query
  ids: string[]
  /** By the name of the measure. */
  scores: Record<string, number>
}

/** The queries of one kind, or of all kinds. */
interface Row {
  kind: string
  count: number
  /** By the name of the measure, then by engine. */
  estimates: Record<string, Record<string, Estimate>>
}

/** A set of queries with the answers of each engine. */
export interface MeasuredSet {
  set: QuerySet
  rows: Row[]
  /** By engine, in the order of the queries. */
  results: Record<string, Result[]>
}

/** Asks each engine all queries of a set. @param seed of the bootstrap intervals */
export async function measureSet(set: QuerySet, engines: Engine[], seed: number): Promise<MeasuredSet> {
  const results: MeasuredSet['results'] = {}
  for (const engine of engines) {
    const answers = await askAll(engine, set.queries)
    results[engine.name] = set.queries.map((query, place) => {
      const ids = answers[place] ?? []
      const scores = Object.entries(set.measures).map(([name, measure]) => [name, measure(ids, query)])
      return { query, ids, scores: Object.fromEntries(scores) }
    })
  }
  const kinds = [...new Set(set.queries.map(({ kind }) => kind))]
  const rows = [...kinds, null].map((kind) => rowOf(set, results, kind, seed))
  return { set, rows, results }
}

/** @param kind null: all kinds */
function rowOf(set: QuerySet, results: MeasuredSet['results'], kind: string | null, seed: number): Row {
  const estimates: Row['estimates'] = {}
  for (const measure of Object.keys(set.measures)) {
    const byEngine = Object.entries(results).map(([engine, list]) => {
      const ofKind = list.filter(({ query }) => kind === null || query.kind === kind)
      return [
        engine,
        estimate(
          ofKind.map(({ scores }) => scores[measure] ?? 0),
          seed,
        ),
      ]
    })
    estimates[measure] = Object.fromEntries(byEngine)
  }
  const count = set.queries.filter((query) => kind === null || query.kind === kind).length
  return { kind: kind ?? 'all', count, estimates }
}

/** The worst answers, one of each kind in turn among equally bad ones; correct answers are none. */
function worstMisses(results: Result[], measure: string, count: number): Result[] {
  const ofKind = new Map<string, number>()
  return results
    .map((result) => ({ result, score: result.scores[measure] ?? 0 }))
    .filter(({ score }) => score < 1)
    .map((miss) => {
      const key = `${miss.score} ${miss.result.query.kind}`
      const turn = ofKind.get(key) ?? 0
      ofKind.set(key, turn + 1)
      return { ...miss, turn }
    })
    .sort((a, b) => a.score - b.score || a.turn - b.turn)
    .slice(0, count)
    .map(({ result }) => result)
}

const shownMisses = 10

const shownIds = 3

/** The tables of a set, one for each measure with a column for each engine, then the worst misses of the first engine. */
export function formatSet(measured: MeasuredSet): string {
  const { set, rows, results } = measured
  const engines = Object.keys(results)
  const tables = Object.keys(set.measures).map((measure) => {
    const lines = rows.map(({ kind, count, estimates }) => [
      kind,
      String(count),
      ...engines.map((engine) => formatEstimate(estimates[measure]?.[engine])),
    ])
    return formatTable([[measure, 'n', ...engines], ...lines])
  })
  const title = `${set.name}${set.heldOut ? ', held out' : ''}: ${set.queries.length} queries`
  return [title, ...tables, ...(set.heldOut ? [] : [formatMisses(measured)])].join('\n\n')
}

/** Everything that was measured, for a file; of held-out sets without queries, wanted records and answers. */
export const jsonOf = ({ set, rows, results }: MeasuredSet) => ({
  name: set.name,
  heldOut: set.heldOut,
  rows,
  queries: set.queries.map(({ kind, ...query }, place) => ({
    kind,
    ...(set.heldOut ? {} : query),
    engines: Object.fromEntries(
      Object.entries(results).map(([engine, list]) => [
        engine,
        { ...list[place]?.scores, ...(set.heldOut ? {} : { ids: list[place]?.ids }) },
      ]),
    ),
  })),
})

const formatEstimate = (value: Estimate | undefined): string =>
  value === undefined ? '' : `${value.mean.toFixed(3)} [${value.low.toFixed(3)}, ${value.high.toFixed(3)}]`

function formatMisses({ set, results }: MeasuredSet): string {
  const [engine = ''] = Object.keys(results)
  const misses = worstMisses(results[engine] ?? [], set.worstBy, shownMisses)
  const lines = misses.flatMap(({ query: { kind, text, best }, ids }) => {
    const places = best.map((id) => ids.indexOf(id)).filter((place) => place !== -1)
    const found = places.length === 0 ? 'not found' : `place ${Math.min(...places) + 1}`
    return [
      `  ${kind}: ${text}`,
      `    wanted ${formatIds(best)} (${found}); first came ${ids.length === 0 ? 'nothing' : formatIds(ids)}`,
    ]
  })
  return [`worst misses of ${engine}, by ${set.worstBy}`, ...lines].join('\n')
}

const formatIds = (ids: string[]): string =>
  `${ids.slice(0, shownIds).join(', ')}${ids.length > shownIds ? `, … ${ids.length} in all` : ''}`
