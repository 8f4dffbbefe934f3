import type { Meilisearch } from 'meilisearch'
import type { Collection } from 'mongodb'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { type Skill, toPublicSkill } from '../../shared/records/skill.js'
import { runBuilt } from './processes.js'

/** A seeded catalog on servers. */
export interface ServersBench {
  size: number
  /** The environment of commands and services. */
  env: Record<string, string>
  meiliUrl: string
  meilisearch: Meilisearch
  /** The documents as another application, a crawler, would write them. */
  skills: Collection
}

/** Records of which queries are made. */
const maxSampled = 10_000

/** Runs a command of the catalog in its own process, and returns its result. */
export async function catalog(env: ServersBench['env'], args: string[]): Promise<Record<string, unknown>> {
  const output = await runBuilt('services/indexer/cli/main.js', [...args, '--local', '--json'], env)
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')
}

/** Writes the generated skills into MongoDB. */
export async function insertSkills({ size, skills }: ServersBench): Promise<void> {
  let batch: Record<string, unknown>[] = []
  for (const skill of generateSkills(size, 1)) {
    const { id: _id, indexedAt: _indexedAt, ...fields } = toPublicSkill(skill)
    batch.push({ ...fields, updatedAt: new Date(fields.updatedAt ?? 0) })
    if (batch.length === 1_000) {
      await skills.insertMany(batch)
      batch = []
    }
  }
  if (batch.length > 0) {
    await skills.insertMany(batch)
  }
}

/** Skills from the whole catalog, of which queries are made. */
export const sampleSeeded = ({ size }: ServersBench): Skill[] =>
  [...generateSkills(size, 1)].filter((_skill, place) => place % Math.ceil(size / maxSampled) === 0)
