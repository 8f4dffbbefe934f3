import { z } from 'zod'
import { namesInAddress } from '../../../shared/fields/web-address.js'
import { facetNames, sortRows, usualOrder } from '../../../shared/ports/filter-table.js'
import { matchKinds, placements, type SearchHit, searchedFields } from '../../../shared/ports/search-index.js'
import type { Passage } from '../../../shared/ports/skill-texts.js'
import { meantText } from '../../../shared/ranking/interpret-query.js'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { searchSettings } from '../../../shared/search-settings.js'
import { searchPath } from '../../../shared/text/parse-url.js'
import { listText, recordText, withMembers } from '../request/answer.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import {
  CommaList,
  distinctParameter,
  FieldList,
  filterParameters,
  Limit,
  maxQueryLength,
  OneOf,
  PageNumber,
  QueryText,
  skillFilters,
  whenValid,
  YesNo,
} from '../request/parameters.js'
import { maxJsonBytes } from '../request/read-body.js'
import { SendableText } from '../request/sendable-text.js'
import { asWritten, FilterHint, filterHints, findPassages, highlightsOf } from '../skills/explain-hits.js'
import { maxReranked } from '../skills/second-stage.js'
import { presentNameOf } from './get-skill.js'

/** Hits that pages reach. For more, the list and the export cost less. */
export const reach = searchSettings.maxReach

const Highlighted = z.string().nullable().describe('HTML: escaped, matches in <em>; null: no match in this field')

const Explanation = z.object({
  placement: z
    .enum(placements)
    .describe(
      'the first that applies: exactly owner/repo, exactly the name, all words, some words, words only in its text, ' +
        'only its meaning',
    ),
  words: z.array(
    z.object({
      word: z
        .string()
        .describe('a word or phrase of the query that informs, folded; names such as c++ as they are written'),
      match: z
        .object({ kind: z.enum(matchKinds), field: z.enum([...searchedFields, 'text']) })
        .nullable()
        .describe(
          'how it was found, and in which field, where it counts most; text: only in its SKILL.md; null: not found',
        ),
    }),
  ),
  similarity: z
    .number()
    .nullable()
    .describe(
      'the cosine between the meanings of text and skill, rounded; null: not one of the nearest, or meaning did not count',
    ),
})

const FacetCounts = z.array(z.object({ value: z.string(), count: z.int() }))
const Facets = z.object(Object.fromEntries(facetNames.map((name) => [name, FacetCounts.optional()])))

/** Characters of a link: proxies take 4 KiB of headers by default. Without it, `page` gets the next page. */
const maxLinkLength = 2_000

const modes = ['keyword', 'hybrid', 'semantic'] as const
type Mode = (typeof modes)[number]

/** GET or POST /api/v1/skills/search: the published skills that match the words or the meaning of a text, best first. */
export const searchSkills = endpoint({
  name: 'search-skills',
  path: searchPath,
  methods: ['GET', 'HEAD', 'POST'],
  takesJson: true,
  maxBodyBytes: maxJsonBytes,
  summary: 'Search for skills',
  docs: {
    tag: 'Skills',
    description:
      'Write a few words, a sentence, or a whole task: words such as “how do I” are ignored. Best first: an exact ' +
      '`owner/repo`, then an exact name, then by one score for the words of the fields (name before topics before ' +
      'description), those of the SKILL.md, and the meaning. Inflections, synonyms and corrected typos count less than ' +
      'the word itself. Stars and freshness only break ties. `mode=keyword` leaves the meaning out, `mode=semantic` the ' +
      'words. The last word may be incomplete; `"…"` searches ' +
      'for a phrase, `-word` excludes, and there is no other syntax: `owner:acme` is text, and `hints` say how to filter. ' +
      'The address of a repository, or of a folder in it, is searched as the names that it has, and a former id as the ' +
      'present one. ' +
      'A text that is too long for a URL is sent by POST, with the same parameters as a JSON object.',
    errors: ['search_unavailable', 'query_timeout'],
    headers: ['Server-Timing'],
  },
  query: z
    .object({
      q: QueryText.describe(`1 to ${maxQueryLength} characters; quotes search for a phrase, -word excludes`),
      limit: Limit,
      page: PageNumber.default(1).describe(`number of the page, from 1; pages reach the first ${reach} hits`),
      sort: OneOf(['relevance', ...sortRows().map(({ name }) => name)])
        .default('relevance')
        .describe('relevance: best first; in the other orders skills without a value come last'),
      order: OneOf(['asc', 'desc']).optional().describe('default: desc, and asc by name; with relevance only desc'),
      ...filterParameters,
      distinct: distinctParameter,
      mode: OneOf(modes)
        .optional()
        .describe(
          'keyword: by words; semantic: by meaning; default: hybrid, by both; in another order than by relevance, by words',
        ),
      fold: YesNo.default(true).describe(
        'leave out skills whose text repeats that of a better hit, or nearly so, such as forks',
      ),
      facets: CommaList(facetNames).describe(`count the hits by these fields: ${facetNames.join(', ')}`),
      fields: FieldList,
      highlight: YesNo.default(false).describe('mark the matches as HTML'),
      explain: YesNo.default(false).describe('report why each hit stands where it does'),
    })
    .refine(({ sort, order }) => sort !== 'relevance' || order !== 'asc', {
      path: ['order'],
      message: 'cannot be asc with sort=relevance, which is best first: choose another sort, or omit order.',
      when: whenValid('sort', 'order'),
    })
    .refine(({ sort, mode }) => sort === 'relevance' || mode !== 'semantic', {
      path: ['mode'],
      message: 'cannot be semantic with a sort other than relevance: meaning is an order of its own. Omit one of them.',
      when: whenValid('sort', 'mode'),
    })
    .refine(({ page, limit }) => (page - 1) * limit < reach, {
      path: ['page'],
      message: `reaches beyond the first ${reach} hits: narrow the search, list with /api/v1/skills, or export.`,
      when: whenValid('page', 'limit'),
    }),
  response: z.object({
    data: z.array(
      SkillSchema.extend({
        score: z.number().nullable().describe('0 to 1: how well the skill matches; null unless sorted by relevance'),
        highlights: z
          .object({
            name: Highlighted,
            repo: Highlighted,
            owner: Highlighted,
            description: Highlighted,
            topics: z.array(z.string()).describe('the topics that match, as HTML'),
            passage: z.string().nullable().describe('the passage as HTML, as above; null: there is none'),
          })
          .optional()
          .describe('only with highlight=true'),
        passage: z
          .string()
          .nullable()
          .describe(
            'the part of its SKILL.md, as plain text of about 200 characters, that has the words of q which none of its ' +
              'fields has; null: there are none. Foreign text, as the author of the skill wrote it',
          ),
        duplicates: z
          .int()
          .describe(
            'number of other skills with the same or nearly the same text that the filters admit: they are left out; ' +
              '0 with fold=false',
          ),
        others: z
          .int()
          .optional()
          .describe(
            'only with distinct=repository: number of further hits in its repository, of those that were counted',
          ),
        explanation: Explanation.optional().describe('only with explain=true'),
      }).meta({ id: 'FoundSkill' }),
    ),
    mode: z.enum(modes).describe('how the skills were found: keyword also where the text has no meaning to compare'),
    degraded: z
      .boolean()
      .describe(
        'true: at the moment the meaning could not count, so the words alone decided, or the reranker of the operator ' +
          'did not answer',
      ),
    query: z.string().describe('the search text, trimmed and without control characters'),
    pagination: z.object({
      page: z.int(),
      limit: z.int(),
      total: z
        .int()
        .describe(
          `number of hits that were counted, at most ${reach}, with distinct=repository of their repositories; see totalIsLowerBound`,
        ),
      totalIsLowerBound: z.boolean().describe('true: there may be more hits than total'),
      totalPages: z.int().describe(`number of pages within the first ${reach} hits`),
    }),
    facets: Facets.optional().describe('only with facets: the most frequent values among all hits'),
    hints: z
      .array(FilterHint)
      .optional()
      .describe('only where a part of q looks like a filter, such as owner:acme: it was searched for as text'),
    tookMs: z.number().describe('duration of the search, milliseconds; also in the header Server-Timing'),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query, given, path }, { index, vectors, secondStage, catalog }) {
    const { q, limit, page, sort } = query
    const startedMs = performance.now()
    const text = q.includes('/') ? await presentNameOf(catalog, namesInAddress(q) ?? q) : q
    const offset = (page - 1) * limit
    const wanted: Mode = sort === 'relevance' ? (query.mode ?? (vectors === null ? 'keyword' : 'hybrid')) : 'keyword'
    const vector = wanted === 'keyword' ? null : ((await vectors?.vectorOf(meantText(text))) ?? null)
    const means = vector?.some((value) => value !== 0) === true
    // The second stage orders the first hits together, so each page among them is read with all of them.
    const stage =
      sort === 'relevance' && (query.mode ?? 'hybrid') === 'hybrid' && offset < maxReranked ? secondStage : null
    const found = await index.search({
      text,
      filters: skillFilters(query),
      sort,
      order: query.order ?? usualOrder(sort),
      ...(stage === null
        ? { offset, limit: Math.min(limit, reach - offset) }
        : { offset: 0, limit: Math.max(maxReranked, offset + limit) }),
      ...(query.distinct && { distinct: query.distinct }),
      facets: [...new Set(query.facets)],
      meaning: vector !== null && means ? { vector, alone: wanted === 'semantic' } : null,
      fold: query.fold,
      highlight: query.highlight,
      explain: query.explain,
    })
    const ordered = stage === null ? found.hits : await stage.order(text, found.hits, catalog)
    const hits = stage === null ? found.hits : (ordered ?? found.hits).slice(offset, offset + limit)
    const passages = await findPassages(catalog, hits)
    const tookMs = Math.round((performance.now() - startedMs) * 10) / 10
    const { total, totalIsLowerBound } = found
    const totalPages = Math.ceil(total / limit)
    const next = pathWithQuery(path, given, { page: String(page + 1) })
    const hints = filterHints(q)
    const rest = {
      mode: found.byMeaning ? wanted : 'keyword',
      degraded: ordered === null || (wanted !== 'keyword' && (vector === null || (means && !found.byMeaning))),
      query: q,
      pagination: { page, limit, total, totalIsLowerBound, totalPages },
      ...(query.facets === undefined ? {} : { facets: Facets.parse(found.facets) }),
      ...(hints.length === 0 ? {} : { hints }),
    }
    return {
      text: toText(hits, passages, query.fields, rest, tookMs),
      // W3C Server Timing: the developer tools of browsers show it.
      headers: { 'Server-Timing': `search;dur=${tookMs}` },
      links: page < totalPages && next.length <= maxLinkLength ? [{ rel: 'next', target: next }] : [],
    }
  },
})

/** The body: each record as the index stored it, and what the search adds. */
function toText(
  hits: SearchHit[],
  passages: (Passage | null)[],
  fields: readonly string[] | undefined,
  rest: { query: string },
  tookMs: number,
): SendableText {
  const data = hits.map((hit, place) => {
    const passage = passages[place] ?? null
    return recordText(hit, fields, {
      score: hit.score,
      highlights: hit.matches === null ? undefined : highlightsOf(hit, passage),
      passage: passage?.text ?? null,
      duplicates: hit.duplicates,
      others: hit.others ?? undefined,
      explanation: hit.explanation === null ? undefined : explanationOf(hit.explanation, rest.query),
    })
  })
  const tagged = listText(data, rest)
  // The duration differs between answers with the same hits.
  return new SendableText(withMembers(tagged, { tookMs }), tagged)
}

/** Parsed, so that only documented members leave the service, also where an index has others. */
function explanationOf({ similarity, words, ...rest }: NonNullable<SearchHit['explanation']>, q: string) {
  const rounded = similarity === null ? null : Math.round(similarity * 1_000) / 1_000
  return Explanation.parse({ ...rest, words: words.map((each) => asWritten(each, q)), similarity: rounded })
}
