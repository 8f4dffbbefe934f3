import { z } from 'zod'
import { Timestamp } from './fields.js'

/** The catalog in figures, as the indexer computes them and the API shows them. */
export const Stats = z
  .object({
    totals: z.object({
      skills: z.int(),
      prompts: z.int(),
      organizations: z.int(),
      topics: z.int(),
      stars: z.int(),
    }),
    topOrganizations: z
      .array(z.object({ login: z.string(), name: z.string().nullable(), skills: z.int(), stars: z.int() }))
      .describe('at most 20, most skills first'),
    topTopics: z.array(z.object({ topic: z.string(), skills: z.int() })).describe('at most 20, most skills first'),
    freshness: z.object({
      newestSkillUpdatedAt: Timestamp.nullable(),
      oldestSkillUpdatedAt: Timestamp.nullable(),
      lastSyncAt: Timestamp.nullable().describe('when the search index was last brought up to date'),
      statsGeneratedAt: Timestamp.nullable(),
      exportsGeneratedAt: Timestamp.nullable(),
    }),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>
