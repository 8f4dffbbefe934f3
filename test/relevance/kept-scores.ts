import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { askAll, type Engine } from './engine.js'
import { estimate, judgedMeasures, type Query } from './metrics.js'

/** By engine and measure: the score of each query, in the order in which they are asked. */
type Scores = Record<string, Record<string, number[]>>

const path = join(projectRoot(), 'test', 'relevance', 'kept-scores.json')

const measures = ['success@3', 'nDCG@10']

/** Asks each engine all queries. @returns the scores of the answers */
export async function scoreAll(queries: Query[], engines: Engine[]): Promise<Scores> {
  const scores: Scores = {}
  for (const engine of engines) {
    const answers = await askAll(engine, queries)
    const ofMeasure = (measure: string) =>
      queries.map((query, place) => Number((judgedMeasures[measure]?.(answers[place] ?? [], query) ?? 0).toFixed(2)))
    scores[engine.name] = Object.fromEntries(measures.map((measure) => [measure, ofMeasure(measure)]))
  }
  return scores
}

/**
 * A line for each kind of query that is answered worse than when the scores were kept: the interval of the differences,
 * query by query, is below zero, and they add up to one query or more. Queries and records are not named.
 *
 * @param seed of the intervals
 */
export function fallenBelow(queries: Query[], now: Scores, seed: number, kept = readScores()): string[] {
  const kinds = [...new Set(queries.map(({ kind }) => kind)), null]
  return Object.entries(now).flatMap(([engine, byMeasure]) =>
    Object.entries(byMeasure).flatMap(([measure, scores]) => {
      const before = kept[engine]?.[measure] ?? []
      if (before.length !== scores.length) {
        return [
          `${engine}, ${measure}: kept of ${before.length} queries, and there are ${scores.length}: keep them again`,
        ]
      }
      return kinds.flatMap((kind) => {
        const places = [...scores.keys()].filter((place) => kind === null || queries[place]?.kind === kind)
        const sumOf = (list: number[]): number => places.reduce((sum, place) => sum + (list[place] ?? 0), 0)
        const lost = sumOf(before) - sumOf(scores)
        const meanOf = (list: number[]): string => (sumOf(list) / places.length).toFixed(3)
        const line = `${engine}, ${kind ?? 'all'}, ${measure}: ${meanOf(scores)}, kept ${meanOf(before)}`
        return lost >= 1 &&
          estimate(
            places.map((place) => (scores[place] ?? 0) - (before[place] ?? 0)),
            seed,
          ).high < 0
          ? [line]
          : []
      })
    }),
  )
}

/** Keeps these scores in place of those of the same engines. */
export function keepScores(scores: Scores): void {
  const engines = Object.entries({ ...readScores(), ...scores }).sort(([a], [b]) => (a < b ? -1 : 1))
  const blocks = engines.map(([engine, byMeasure]) => {
    const lines = Object.entries(byMeasure).map(([measure, scores]) => `    "${measure}": [${scores.join(', ')}]`)
    return `  "${engine}": {\n${lines.join(',\n')}\n  }`
  })
  writeFileSync(path, `{\n${blocks.join(',\n')}\n}\n`)
}

const readScores = (): Scores => JSON.parse(readFileSync(path, 'utf8'))
