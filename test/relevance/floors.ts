import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'
import type { MeasuredSet } from './measure.js'

/** What was measured, and what a change may not fall below. */
type Floor = [mean: number, floor: number]

/** By engine, kind of query and measure. */
type Floors = Record<string, Record<string, Record<string, Floor>>>

const path = join(projectRoot(), 'test', 'relevance', 'floors.json')

/** The measures that have floors. */
const measures = ['success@3', 'nDCG@10']

/**
 * The floors that these results give: the lower end of the interval of each mean, and never less than one query below the
 * mean, since an interval without width would forbid each exchange of two records.
 */
function floorsOf({ rows, results }: MeasuredSet): Floors {
  const engines = Object.keys(results).map((engine) => {
    const kinds = rows.map(({ kind, count, estimates }) => {
      const ofKind = measures.map((measure): [string, Floor] => {
        const { mean, low } = estimates[measure]?.[engine] ?? { mean: 0, low: 0 }
        return [measure, [rounded(mean), rounded(Math.max(0, Math.min(low, mean - 1 / count)))]]
      })
      return [kind, Object.fromEntries(ofKind)]
    })
    return [engine, Object.fromEntries(kinds)]
  })
  return Object.fromEntries(engines)
}

/** A line for each kind of which a measure is below its floor, or that has none. */
export function fallenBelow(measured: MeasuredSet): string[] {
  const kept = readFloors()
  return Object.entries(floorsOf(measured)).flatMap(([engine, kinds]) =>
    Object.entries(kinds).flatMap(([kind, means]) =>
      Object.entries(means).flatMap(([measure, [mean]]) => {
        const before = kept[engine]?.[kind]?.[measure]
        if (before === undefined) {
          return [`${engine}, ${kind}, ${measure}: has no floor`]
        }
        return mean < before[1]
          ? [`${engine}, ${kind}, ${measure}: ${mean}, before ${before[0]}, floor ${before[1]}`]
          : []
      }),
    ),
  )
}

/** Keeps the floors of these results in place of those of the same engines. */
export function writeFloors(measured: MeasuredSet): void {
  const engines = Object.entries({ ...readFloors(), ...floorsOf(measured) }).sort(([a], [b]) => (a < b ? -1 : 1))
  const blocks = engines.map(([engine, kinds]) => {
    const lines = Object.entries(kinds).map(([kind, means]) => {
      const values = Object.entries(means).map(([measure, floor]) => `"${measure}": [${floor.join(', ')}]`)
      return `    ${JSON.stringify(kind)}: { ${values.join(', ')} }`
    })
    return `  ${JSON.stringify(engine)}: {\n${lines.join(',\n')}\n  }`
  })
  writeFileSync(path, `{\n${blocks.join(',\n')}\n}\n`)
}

const readFloors = (): Floors => JSON.parse(readFileSync(path, 'utf8'))

const rounded = (value: number): number => Number(value.toFixed(3))
