import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { judgedMeasures, type QuerySet } from './metrics.js'

/** The share of the best records of a file that must be among the imported ones. */
const minShare = 0.95

const JudgedQuery = z.strictObject({
  kind: z.string(),
  /** What the kind stands for, where its name is a letter. */
  kind_name: z.string().optional(),
  query: z.string(),
  best: z.array(z.string()).min(1),
  good: z.array(z.string()),
})

const JudgedFile = z.strictObject({
  collection: z.string(),
  heldOut: z.boolean().default(false),
  queries: z.array(JudgedQuery),
})

/** A file of others may be a list of queries only. */
const OutsideFile = z.union([
  JudgedFile,
  z.array(JudgedQuery).transform((queries) => ({ collection: 'other records', heldOut: false, queries })),
])

/** The judged sets, and those that were made for other records. */
export interface JudgedSets {
  sets: QuerySet[]
  /** A reason for each file that is not used. */
  skipped: string[]
}

/**
 * Reads the judged queries of `test/relevance/judged`, and those of files from outside the project.
 *
 * @param imported the ids of the imported records
 * @param outside paths of other files: like those of the project, or lists of queries
 */
export function readJudged(imported: Set<string>, outside: string[] = []): JudgedSets {
  const judged: JudgedSets = { sets: [], skipped: [] }
  const folder = join(projectRoot(), 'test', 'relevance', 'judged')
  const own = readdirSync(folder).sort()
  for (const path of [...own.filter(isJson).map((file) => join(folder, file)), ...outside]) {
    const { collection, heldOut, queries } = OutsideFile.parse(JSON.parse(readFileSync(path, 'utf8')))
    const wanted = [...new Set(queries.flatMap(({ best }) => best))]
    const share = wanted.filter((id) => imported.has(id)).length / wanted.length
    const name = basename(path, '.json')
    if (share < minShare) {
      const percent = Math.floor(share * 100)
      judged.skipped.push(`${name} (${collection}): ${percent} % of its best records are imported`)
    } else {
      judged.sets.push({
        name,
        heldOut,
        queries: queries.map(({ kind, kind_name, query, best, good }) => ({
          kind: kind_name === undefined ? kind : `${kind} ${kind_name}`,
          text: query,
          best,
          good,
        })),
        measures: judgedMeasures,
        worstBy: 'nDCG@10',
      })
    }
  }
  return judged
}

const isJson = (file: string): boolean => file.endsWith('.json')
