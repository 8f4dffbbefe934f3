import { z } from 'zod'
import { sortRows, usualOrder } from '../../../shared/ports/filter-table.js'
import {
  type ListedSkill,
  maxDividedSkills,
  maxListTotal,
  type SkillListPage,
  type SkillListQuery,
} from '../../../shared/ports/skill-reader.js'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { gainsOf, StarGains } from '../../../shared/records/stats.js'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import type { Backends } from '../observability/backends.js'
import { documentedAs } from '../openapi/documented-as.js'
import { listText, recordText } from '../request/answer.js'
import { CursorText, decodeCursor, encodeCursor, type ListScope } from '../request/cursor.js'
import { endpoint, pathWithQuery } from '../request/endpoint.js'
import type { ListBody } from '../request/list-cache.js'
import {
  distinctParameter,
  FieldList,
  filterParameters,
  IdList,
  Limit,
  maxIds,
  OneOf,
  PageNumber,
  skillFilters,
  whenValid,
} from '../request/parameters.js'
import { SendableText } from '../request/sendable-text.js'

/** Rows that pages by number reach: the first request of a page skips the rows before it, which a cursor never does. */
const reach = 10_000

const v1Path = '/api/v1/skills'

/** Why a skill was not found, and the id to request instead. */
const MissingSkill = z.object({
  id: z.string().describe('the requested id, in lower case'),
  reason: z.enum(['unknown', 'removed', 'renamed']),
  presentId: z.string().nullable().describe('the present id of a renamed skill; null for the others'),
})

/** GET /api/skills: the published skills, filtered and sorted, by cursor or by page; or the skills of a list of ids. */
export const listSkills = endpoint({
  name: 'list-skills',
  path: '/api/skills',
  aliases: [v1Path],
  summary: 'Skills, page by page',
  docs: {
    tag: 'Skills',
    description:
      'Follow `cursor` until `nextCursor` is null: every skill that exists throughout is returned exactly once, even ' +
      'while others are written, and the last page costs the same as the first.\n\nWith `ids` these skills are looked ' +
      'up instead, in the given order, and `missing` lists the unknown, removed and renamed ones.',
    errors: ['catalog_unavailable', 'query_timeout'],
  },
  query: z
    .object({
      limit: Limit,
      cursor: CursorText.meta(documentedAs({ type: 'string', minLength: 1 }))
        .optional()
        .describe('nextCursor of the previous page, with the same sort, order and filters'),
      page: PageNumber.optional().describe(`number of the page, from 1; pages reach the first ${reach} rows`),
      sort: OneOf([...sortRows().map(({ name }) => name), 'trending'])
        .default('updated')
        .describe(
          'skills without a value come last. trending: by the stars gained in the last 7 days, then in the last 30; ' +
            'skills that gained none follow by stars',
        ),
      order: OneOf(['asc', 'desc']).optional().describe('default: desc, and asc by name'),
      ...filterParameters,
      distinct: distinctParameter,
      ids: IdList.optional().describe(
        `only these skills, a comma list of up to ${maxIds}; can be combined with fields only`,
      ),
      fields: FieldList,
    })
    .refine(({ page, cursor }) => page === undefined || cursor === undefined, {
      path: ['page'],
      message: 'cannot be given together with cursor: choose one of them.',
      when: whenValid('page', 'cursor'),
    })
    .refine(({ page = 1, limit }) => (page - 1) * limit < reach, {
      path: ['page'],
      message: `reaches beyond the first ${reach} rows: continue with cursor, or download the files that /api/v1/exports lists.`,
      when: whenValid('page', 'limit'),
    }),
  response: z.object({
    data: z.array(
      SkillSchema.extend({
        starsGained: StarGains.optional().describe('only with sort=trending'),
        others: z
          .int()
          .optional()
          .describe('only with distinct=repository: number of further skills of its repository that match the filters'),
      }).meta({ id: 'ListedSkill' }),
    ),
    pagination: z.object({
      limit: z.int(),
      total: z
        .int()
        .describe(
          'number of skills that match the filters, with distinct=repository of their repositories; see totalIsLowerBound',
        ),
      totalIsLowerBound: z
        .boolean()
        .describe(
          `true: there may be more than total. With filters, skills are counted up to ${maxListTotal}; repositories too, ` +
            `among the first ${maxDividedSkills} skills`,
        ),
      nextCursor: z.string().nullable().describe('null: this is the last page'),
      page: z.int().optional().describe('only with page'),
      totalPages: z.int().optional().describe(`only with page; number of pages within the first ${reach} rows`),
    }),
    missing: z.array(MissingSkill).optional().describe('only with ids: the skills that were not found, and why'),
  }),
  cache: { maxAgeSeconds: 30, staleWhileRevalidateSeconds: 60 },

  async handle({ query, given, path }, { catalog, lists }) {
    const canonical = { rel: 'canonical', target: pathWithQuery(v1Path, given) } as const
    if (query.ids !== undefined) {
      refuseOthersThanIds(given)
      return { text: await textOfIds(catalog, query.ids, query.fields), links: [canonical] }
    }
    const { limit, page, cursor, sort } = query
    const order = query.order ?? usualOrder(sort)
    const scope: ListScope = {
      sort,
      order,
      filters: skillFilters(query),
      ...(query.distinct && { distinct: query.distinct }),
    }
    const listQuery: SkillListQuery = { ...scope, limit }
    if (cursor !== undefined) {
      const decoded = decodeCursor(cursor, scope)
      if (decoded.error !== undefined) {
        throw invalidParameters([decoded.error])
      }
      listQuery.after = decoded.position
    } else if (page !== undefined) {
      listQuery.offset = (page - 1) * limit
    }
    const answerOf = (found: SkillListPage) => toAnswer(found, listQuery, query)
    const { text, nextCursor } = await lists.find(catalog, { query: listQuery, fields: query.fields }, answerOf)
    const nextPage = page !== undefined && page * limit < reach ? { page: String(page + 1) } : null
    return {
      text,
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

function toAnswer(
  { skills, total, totalIsLowerBound, next }: SkillListPage,
  { limit, ...scope }: SkillListQuery,
  { page, fields }: { page?: number | undefined; fields?: readonly string[] | undefined },
): ListBody {
  const nextCursor = next === null ? null : encodeCursor(scope, next)
  const pagination = {
    limit,
    total,
    totalIsLowerBound,
    nextCursor,
    ...(page === undefined ? {} : { page, totalPages: Math.ceil(Math.min(total, reach) / limit) }),
  }
  const starsGained = ({ trend }: ListedSkill) => (scope.sort === 'trending' ? gainsOf(trend) : undefined)
  const texts = skills.map((skill) =>
    recordText(skill, fields, { starsGained: starsGained(skill), others: skill.others ?? undefined }),
  )
  return { text: new SendableText(listText(texts, { pagination })), nextCursor }
}

/**
 * Other parameters would filter or sort, and so drop some of the requested skills.
 *
 * @throws AppError `invalid_parameters` (400) that names each of them
 */
function refuseOthersThanIds(given: [name: string, value: string][]): void {
  const errors = [...new Set(given.map(([name]) => name))]
    .filter((parameter) => !['ids', 'fields'].includes(parameter))
    .map((parameter): FieldError => ({ parameter, message: 'cannot be given together with ids: omit one of them.' }))
  if (errors.length > 0) {
    throw invalidParameters(errors)
  }
}

/** The body with the published skills of these ids, in their order, and the reasons for the others. */
async function textOfIds(
  catalog: Pick<Backends['catalog'], 'findSkills'>,
  ids: string[],
  fields: readonly string[] | undefined,
): Promise<string> {
  const records: string[] = []
  const missing: z.output<typeof MissingSkill>[] = []
  for (const [position, found] of (await catalog.findSkills(ids)).entries()) {
    if (found.state === 'published') {
      records.push(recordText(found, fields))
    } else {
      const presentId = found.state === 'renamed' ? found.presentId : null
      missing.push({ id: ids[position] ?? '', reason: found.state, presentId })
    }
  }
  const pagination = { limit: maxIds, total: records.length, totalIsLowerBound: false, nextCursor: null }
  return listText(records, { pagination, missing })
}
