import { z } from 'zod'
import { Timestamp } from './fields.js'

/** The catalog in figures, as the indexer computes them and the API shows them. */
export const Stats = z
  .object({
    totals: z
      .object({
        skills: z.int().describe('published skills'),
        prompts: z.int().describe('published prompts'),
        organizations: z.int().describe('owners of published skills'),
        topics: z.int().describe('topics that published skills carry'),
        stars: z.int().describe('the sum of the stars of published skills'),
      })
      .describe('how much there is in all'),
    topOrganizations: z
      .array(
        z.object({
          login: z.string().describe('lower case: the identity'),
          name: z.string().nullable().describe('for people'),
          skills: z.int().describe('its published skills'),
          stars: z.int().describe('the sum of their stars'),
        }),
      )
      .describe('at most 20, most skills first'),
    topTopics: z
      .array(
        z.object({
          topic: z.string().describe('lower case'),
          skills: z.int().describe('published skills that carry it'),
        }),
      )
      .describe('at most 20, most skills first'),
    freshness: z
      .object({
        newestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the skill that was updated last'),
        oldestSkillUpdatedAt: Timestamp.nullable().describe('`updatedAt` of the skill that was updated first'),
        lastSyncAt: Timestamp.nullable().describe('when the search index was last brought up to date'),
        statsGeneratedAt: Timestamp.nullable().describe('when these figures were computed'),
        exportsGeneratedAt: Timestamp.nullable().describe('when the export files were written'),
      })
      .describe('how new it is'),
  })
  .meta({ id: 'Stats' })
export type Stats = z.infer<typeof Stats>
