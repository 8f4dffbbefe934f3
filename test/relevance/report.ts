import { formatTable } from '../bench/report.js'
import { type MeasuredSet, worstMisses } from './measure.js'
import type { Estimate } from './metrics.js'

const shownMisses = 10

/** Ids of a list that are shown. */
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
