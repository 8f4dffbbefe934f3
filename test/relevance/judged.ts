import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { judgedMeasures } from './metrics.js'
import type { QuerySet } from './query-set.js'

/** The share of the best records of a file that must be among the imported ones. */
const minShare = 0.95

const JudgedFile = z.strictObject({
  collection: z.string(),
  heldOut: z.boolean().default(false),
  queries: z.array(
    z.strictObject({
      kind: z.string(),
      query: z.string(),
      best: z.array(z.string()).min(1),
      good: z.array(z.string()),
    }),
  ),
})

/** The judged sets, and those that were made for other records. */
export interface JudgedSets {
  sets: QuerySet[]
  /** A reason for each file that is not used. */
  skipped: string[]
}

/** Reads the judged queries of `test/relevance/judged`. @param imported the ids of the imported records */
export function readJudged(imported: Set<string>): JudgedSets {
  const judged: JudgedSets = { sets: [], skipped: [] }
  const folder = join(projectRoot(), 'test', 'relevance', 'judged')
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith('.json')) {
      const { collection, heldOut, queries } = JudgedFile.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
      const wanted = [...new Set(queries.flatMap(({ best }) => best))]
      const share = wanted.filter((id) => imported.has(id)).length / wanted.length
      const name = basename(file, '.json')
      if (share < minShare) {
        const percent = Math.floor(share * 100)
        judged.skipped.push(`${name} (${collection}): ${percent} % of its best records are imported`)
      } else {
        judged.sets.push({
          name,
          heldOut,
          queries: queries.map(({ query, ...rest }) => ({ text: query, ...rest })),
          measures: judgedMeasures,
          worstBy: 'nDCG@10',
        })
      }
    }
  }
  return judged
}
