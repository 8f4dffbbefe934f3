import type { z } from 'zod'
import type { exportSnapshots } from '../../endpoints/exports/export-snapshots.js'
import type { listSkills } from '../../endpoints/list-skills.js'
import type { searchSkills } from '../../endpoints/search-skills.js'
import type { relatedSkills, skillHistory } from '../../endpoints/skill-parts.js'
import type { stats, statsHistory } from '../../endpoints/stats.js'
import type { suggestSkills } from '../../endpoints/suggest-skills.js'

/** What an endpoint answers with, by its own schema. */
type AnswerOf<Endpoint extends { response: z.ZodType }> = z.output<Endpoint['response']>

export type ListAnswer = AnswerOf<typeof listSkills>
export type SearchAnswer = AnswerOf<typeof searchSkills>
export type SuggestAnswer = AnswerOf<typeof suggestSkills>
export type RelatedAnswer = AnswerOf<typeof relatedSkills>
export type HistoryAnswer = AnswerOf<typeof skillHistory>
export type StatsAnswer = AnswerOf<typeof stats>
export type StatsHistoryAnswer = AnswerOf<typeof statsHistory>
export type SnapshotsAnswer = AnswerOf<typeof exportSnapshots>

/** A skill in a list or a search: only the latter has a score, highlights and an explanation. */
export type Hit = ListAnswer['data'][number] & Partial<SearchAnswer['data'][number]>
export type Explanation = NonNullable<SearchAnswer['data'][number]['explanation']>
export type Suggestion = SuggestAnswer['data'][number]
export type Stats = StatsAnswer['data']

/**
 * Reads an address of the API. In the browser with a request; in the service with the same handler, without a request.
 */
export type Ask = <Answer>(address: string) => Promise<Answer>
