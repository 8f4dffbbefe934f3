import { z } from 'zod'
import { Timestamp } from './fields.js'

/** The statistics of the catalog, as the indexer computes them and the API returns them. */
export const Stats = z
  .object({
    totals: z
      .object({
        skills: z.int().describe('number of published skills'),
        repositories: z
          .int()
          .nullable()
          .default(null)
          .describe(
            'number of repositories in which published skills lie; null: an earlier version did not count them',
          ),
        prompts: z.int().describe('number of published prompts'),
        organizations: z.int().describe('number of owners of published skills'),
        topics: z.int().describe('number of topics of published skills'),
        stars: z.int().describe('sum of the known stars of published skills; 0 also where none is known'),
      })
      .describe('totals'),
    topOrganizations: z
      .array(
        z.object({
          login: z.string().describe('the id, lower case'),
          name: z.string().nullable().describe('the display name'),
          skills: z.int().describe('number of its published skills'),
          stars: z.int().describe('sum of their known stars; 0 also where none is known'),
        }),
      )
      .describe('at most 20, most skills first'),
    topTopics: z
      .array(
        z.object({
          topic: z.string().describe('lower case'),
          skills: z.int().describe('number of published skills with this topic'),
        }),
      )
      .describe('at most 20, most skills first'),
    freshness: z
      .object({
        newestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the most recently updated skill'),
        oldestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the least recently updated skill'),
        lastSyncAt: Timestamp.nullable().describe('when the search index was last updated'),
        statsGeneratedAt: Timestamp.nullable().describe('when these statistics were computed'),
        exportsGeneratedAt: Timestamp.nullable().describe('when the export files were written'),
      })
      .describe('freshness of the data'),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>
