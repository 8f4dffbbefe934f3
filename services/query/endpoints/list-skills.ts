import { z } from 'zod'
import { invalidParameters } from '../../../shared/errors.js'
import { maxListTotal, type SkillListQuery } from '../../../shared/ports/catalog-store.js'
import { Skill } from '../../../shared/records/skill.js'
import { CursorText, decodeCursor, encodeCursor } from '../cursor.js'
import { endpoint, pathWithQuery } from '../endpoint.js'
import { FieldList } from '../fields.js'
import { shownAs } from '../openapi/shown-as.js'
import { filterParameters, Limit, OneOf, PageNumber, skillFilters, whenRight } from '../parameters.js'
import { findByIds, IdList, MissingSkill, maxIds, refuseBesideIds } from '../skills-by-id.js'

/** Pages by number end here: to skip rows they have to be walked, whereas a cursor costs the same everywhere. */
const reach = 10_000

const v1Path = '/api/v1/skills'

/** GET /api/skills: the published skills, filtered and sorted, by cursor or by page; or those of some ids. */
export const listSkills = endpoint({
  name: 'list-skills',
  path: '/api/skills',
  aliases: [v1Path],
  summary: 'Skills, a page at a time',
  docs: {
    tag: 'Skills',
    description:
      'Walk with `cursor` until `nextCursor` is null: it yields every skill that was there throughout exactly once, ' +
      'also while others are written, and the last page costs what the first does.\n\n' +
      'With `ids` these skills are looked up instead, in the order asked for, and `missing` tells of those that are not ' +
      'there whether they are unknown, removed or renamed.',
    errors: ['catalog_unavailable', 'query_timeout'],
  },
  params: z.object({}),
  query: z
    .object({
      limit: Limit,
      cursor: CursorText.meta(shownAs({ type: 'string', minLength: 1 }))
        .optional()
        .describe('nextCursor of the page before, with the same sort, order and filters'),
      page: PageNumber.optional().describe(`number of the page, from 1; the first ${reach} rows can be reached so`),
      sort: OneOf(['updated', 'stars', 'created', 'name'])
        .default('updated')
        .describe('skills without a value come last'),
      order: OneOf(['asc', 'desc']).optional().describe('default: desc, and asc by name'),
      ...filterParameters,
      ids: IdList.optional().describe(
        `only these skills, a comma list of up to ${maxIds}; with nothing else beside it but fields`,
      ),
      fields: FieldList,
    })
    .refine(({ page, cursor }) => page === undefined || cursor === undefined, {
      path: ['page'],
      message: 'cannot be given together with cursor: choose one of them.',
      when: whenRight('page', 'cursor'),
    })
    .refine(({ page = 1, limit }) => (page - 1) * limit < reach, {
      path: ['page'],
      message: `reaches beyond the first ${reach} rows: go on with cursor, or take all of it from /api/v1/export.`,
      when: whenRight('page', 'limit'),
    }),
  response: z.object({
    data: z.array(Skill),
    pagination: z.object({
      limit: z.int(),
      total: z.int().describe('all skills that the filters admit; see totalIsLowerBound'),
      totalIsLowerBound: z
        .boolean()
        .describe(`true: at least total, and maybe more. With filters, skills are counted up to ${maxListTotal}`),
      nextCursor: z.string().nullable().describe('null: this is the last page'),
      page: z.int().optional().describe('only when asked by page'),
      totalPages: z.int().optional().describe(`only when asked by page; pages of total within the first ${reach} rows`),
    }),
    missing: z.array(MissingSkill).optional().describe('only when asked by ids: those that were not found, and why'),
  }),
  limits: ['default'],
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query, given, path }, { catalog }) {
    const canonical = { rel: 'canonical', target: pathWithQuery(v1Path, given) } as const
    if (query.ids !== undefined) {
      refuseBesideIds(given.map(([name]) => name))
      const { skills, missing } = await findByIds(catalog, query.ids)
      const pagination = { limit: maxIds, total: skills.length, totalIsLowerBound: false, nextCursor: null }
      return { body: { data: skills, pagination, missing }, fields: query.fields, links: [canonical] }
    }
    const { limit, page, cursor, sort } = query
    const order = query.order ?? (sort === 'name' ? 'asc' : 'desc')
    const scope = { sort, order, filters: skillFilters(query) } as const
    const asked: SkillListQuery = { ...scope, limit }
    if (cursor !== undefined) {
      const decoded = decodeCursor(cursor, scope)
      if (decoded.error !== undefined) {
        throw invalidParameters([decoded.error])
      }
      asked.after = decoded.position
    } else if (page !== undefined) {
      asked.offset = (page - 1) * limit
    }
    const { skills, total, totalIsLowerBound, next } = await catalog.listSkills(asked)
    const nextCursor = next === null ? null : encodeCursor(scope, next)
    const nextPage = page !== undefined && page * limit < reach ? { page: String(page + 1) } : null
    return {
      body: {
        data: skills,
        pagination: {
          limit,
          total,
          totalIsLowerBound,
          nextCursor,
          ...(page === undefined ? {} : { page, totalPages: Math.ceil(Math.min(total, reach) / limit) }),
        },
      },
      fields: query.fields,
      links: [
        canonical,
        ...(nextCursor === null
          ? []
          : [
              {
                rel: 'next' as const,
                target: pathWithQuery(path, given, nextPage ?? { page: null, cursor: nextCursor }),
              },
            ]),
      ],
    }
  },
})
