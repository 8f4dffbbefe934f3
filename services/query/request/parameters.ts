import { z } from 'zod'
import {
  type Filter,
  type FilterParameters,
  filterRows,
  type SkillFilters,
} from '../../../shared/ports/filter-table.js'
import { segmentPattern, segmentRule, skillSegmentPattern } from '../../../shared/records/fields.js'
import { PathSegment, SkillSchema, SkillSegment } from '../../../shared/records/schemas.js'
import { givenSkillId } from '../../../shared/records/skill.js'
import { visibleText } from '../../../shared/text/clean-text.js'
import { documentedAs } from '../openapi/documented-as.js'
import { hasControlCharacters } from './parse-query.js'

/** Rows per response. */
const maxLimit = 100

/** A whole number in plain digits: `1e2`, `+5` and `007` are refused as mistakes. */
export const WholeNumber = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}.`
  return z
    .string()
    .regex(/^(?:0|[1-9]\d*)$/, message)
    .transform(Number)
    .pipe(z.number(message).min(minimum, message).max(maximum, message))
    .meta(documentedAs({ type: 'integer', minimum, maximum }))
}

/** `true` or `false`. */
export const YesNo = z
  .enum(['true', 'false'], { error: 'must be true or false.' })
  .transform((value) => value === 'true')
  .meta(documentedAs({ type: 'boolean' }))

/** One of these words; the message lists them. */
export const OneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}.` })

/** Characters of a malformed value that are returned to its sender. */
const maxRepeated = 100

const repeated = (value: unknown): string => JSON.stringify(String(value).slice(0, maxRepeated))

/**
 * Some of these words, absent or as a comma list; also given once for each word, as many generated clients send a list. The
 * message lists the words, and names the first that is none of them.
 */
export const CommaList = <const Word extends string>(words: readonly Word[]) =>
  z
    .array(z.string())
    .transform((texts) => texts.flatMap((text) => text.split(',')))
    .pipe(
      z.array(
        z.enum(words, {
          error: ({ input }) => `must be a comma list of ${words.join(', ')}; ${repeated(input)} is none of them.`,
        }),
      ),
    )
    .optional()
    .meta({
      ...documentedAs({ type: 'array', items: { type: 'string', enum: [...words] }, minItems: 1 }),
      repeatable: true,
      param: { style: 'form', explode: false },
    })

/** At least one character other than a space, and no control characters, as JSON Schema can express it. */
const printable = '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$'

const termMessage = (maxLength: number): string => `must be 1 to ${maxLength} characters of plain text`

/** A line of text that is compared as a whole. */
const Term = (maxLength: number, message = `${termMessage(maxLength)}.`) =>
  z
    .string()
    .transform((text) => text.trim())
    .refine((text) => text.length > 0 && text.length <= maxLength && !hasControlCharacters(text), message)
    .meta(documentedAs({ type: 'string', minLength: 1, maxLength, pattern: printable }))

const updatedSinceMessage =
  'must be a date (2026-01-31) or a time with its offset (2026-01-31T12:00:00Z, 2026-01-31T12:00:00+02:00).'

/** A time, as ISO-8601 UTC with milliseconds. An unencoded `+` arrives as a space and is read as a `+`. */
const Moment = z
  .string()
  .transform((text) => text.replace(/ (\d\d:\d\d)$/, '+$1'))
  .pipe(z.union([z.iso.date(), z.iso.datetime({ offset: true })], { error: updatedSinceMessage }))
  .transform((text) => new Date(text).toISOString())
  // An offset can move the time beyond the years 0 to 9999, whose text form is longer and does not sort by time.
  .refine((text) => /^\d{4}-/.test(text), updatedSinceMessage)
  .meta(
    documentedAs({
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
    }),
  )

/** Rows per response. */
export const Limit = WholeNumber(1, maxLimit).default(20).describe(`rows per response, 1 to ${maxLimit}`)

/** A page's number, from 1. The last page depends on the endpoint and on `limit`. */
export const PageNumber = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a whole number from 1.')
  .transform(Number)
  .meta(documentedAs({ type: 'integer', minimum: 1 }))

/** Checks a rule about several parameters once each of them is valid, so that all errors are listed together. */
export const whenValid =
  (...names: string[]) =>
  ({ issues }: z.core.ParsePayload): boolean =>
    !issues.some(({ path = [] }) => names.includes(String(path[0])))

/** An owner as a parameter of a query: as a segment of a path, its message gets the full stop later. */
export const OwnerParameter = z.string().regex(new RegExp(`^${segmentPattern}$`), `${segmentRule}.`)

/** The segments of a path that name a skill. */
export const SkillPath = z.object({
  owner: PathSegment.describe("the skill's owner, any case"),
  repo: SkillSegment.describe(
    "the skill's repository, any case; with @ and its name where it is one of several of the repository",
  ),
})

/** As the field's tools write it, too: `owner/repo/skill`. */
const idPattern = `${segmentPattern}/${skillSegmentPattern.replace('@', '[@/]')}`
/** An id as people and tools write it, in any case. */
export const idForm = new RegExp(`^${idPattern}$`)

/** Skills that one request looks up. */
export const maxIds = 100

/** `ids=`: a comma list of ids in any case, as distinct ids in lower case. */
export const IdList = z
  .string()
  .transform((text, context) => {
    const ids = text.split(',')
    const malformed = ids.find((id) => !idForm.test(id))
    const distinct = [...new Set(ids.map(givenSkillId))]
    if (malformed !== undefined) {
      context.addIssue(`has ${repeated(malformed)}, which is not an id such as acme/pdf-tools or acme/skills@pdf.`)
    } else if (distinct.length > maxIds) {
      context.addIssue(`names ${distinct.length} skills; ask for at most ${maxIds} at once.`)
    }
    return distinct
  })
  // Of an array, generated clients would repeat the parameter for each entry.
  .meta(documentedAs({ type: 'string', pattern: `^(?:${idPattern})(?:,(?:${idPattern})){0,${maxIds - 1}}$` }))

const maxTopicLength = 100

/** A topic. */
export const Topic = Term(maxTopicLength).transform((topic) => topic.toLowerCase())

/** A topic as a segment of a path, whose messages get their full stop later. */
export const TopicSegment = Term(maxTopicLength, termMessage(maxTopicLength)).transform((topic) => topic.toLowerCase())

const filterList = filterRows()

/** The filters of listing and searching. */
export const filterParameters = Object.fromEntries(
  filterList.map((row) => [row.parameter, filterParameter(row)]),
) as unknown as {
  [name in keyof FilterParameters]: z.ZodOptional<z.ZodType<NonNullable<SkillFilters[FilterParameters[name]]>>>
}

function filterParameter(row: Filter) {
  const { field, maxTimes, description } = row
  const value = filterValue(row)
  if (maxTimes === undefined) {
    return value.optional().describe(description)
  }
  const tooOften = `is given more than ${maxTimes} times; no skill has more ${field}.`
  return z.array(value).max(maxTimes, tooOften).optional().describe(description).meta({ repeatable: true })
}

function filterValue(row: Filter) {
  switch (row.kind) {
    case 'name':
      return OwnerParameter
    case 'text':
      return Term(row.max)
    case 'flag':
      return YesNo
    case 'number':
      return WholeNumber(0, row.max)
    case 'time':
      return Moment
  }
}

/** Whether a list or a search has every skill. */
export const distinctParameter = OneOf(['repository'])
  .optional()
  .describe(
    'repository: only the first skill of each repository in the order that is asked for, with the number of the others; ' +
      'default: every skill',
  )

/** The given filters as the ports take them; absent parameters are absent filters. */
export function skillFilters(query: { [name in keyof FilterParameters]?: unknown }): SkillFilters {
  const filters: { [name: string]: unknown } = {}
  // In place, since an answer that is kept takes some 20 µs in all.
  for (const { name, parameter } of filterList) {
    const value = query[parameter as keyof FilterParameters]
    if (value !== undefined) {
      filters[name] = Array.isArray(value) ? [...new Set(value.map((one: string) => one.toLowerCase()))] : value
    }
  }
  return filters
}

/** Characters of a search text: a whole task as an agent got it. */
export const maxQueryLength = 2_000

/** Characters of a text that is being typed into a search box: a name that is to be completed is shorter. */
export const maxTypedLength = 200

/** Control characters separate words, as spaces do, and invisible characters count for nothing; all others stay. */
const textOf = (maxLength: number) =>
  z
    .string({
      error: ({ input }) =>
        `${input === undefined || input === null ? 'is required' : 'is not text'}: give the words to search for.`,
    })
    .transform((text) => visibleText(text.replace(/\p{Cc}+/gu, ' ')).trim())
    .refine((text) => text !== '', 'is empty: give the words to search for.')
    .refine((text) => [...text].length <= maxLength, `is longer than ${maxLength} characters: shorten it.`)
    .meta(documentedAs({ type: 'string', minLength: 1, maxLength, pattern: '[^\\s\\x00-\\x1f\\x7f-\\x9f]' }))

/** `q=` of a search. */
export const QueryText = textOf(maxQueryLength)

/** `q=` of suggestions. */
export const TypedText = textOf(maxTypedLength)

const skillFields: string[] = SkillSchema.keyof().options

/** `fields=`: the fields of each skill to return; default: all. */
export const FieldList = CommaList(SkillSchema.keyof().options).describe(
  'only these fields of each skill, a comma list; id is always included. Default: all fields',
)

/**
 * The schema of both answers, with `fields` and without: all fields of the skills but `id` may be missing. A union of two
 * shapes would say more, but many generated clients could not read it.
 *
 * @param response its `data` is a skill, or a list of skills, perhaps with members of the endpoint's own
 */
export function answerWithFields(response: z.ZodObject): z.ZodObject {
  const { data } = response.shape
  return response.extend({ data: data instanceof z.ZodArray ? z.array(selected(data.element)) : selected(data) })
}

/** A named schema of the document is one object, also where several paths have it. */
const selections = new WeakMap<z.ZodObject, z.ZodObject>()

function selected(skill: unknown): z.ZodType {
  if (!(skill instanceof z.ZodObject)) {
    throw new Error('fields select from a skill, or from a list of skills')
  }
  const members = Object.entries(skill.shape as z.ZodRawShape).map(([name, member]): [string, z.core.$ZodType] => [
    name,
    name !== 'id' && skillFields.includes(name) ? z.optional(member) : member,
  ])
  const { id } = skill.meta() ?? {}
  // A whole skill is a part of other answers.
  const named = id === 'Skill' ? 'SelectedSkill' : id
  const schema =
    selections.get(skill) ??
    z
      .object(Object.fromEntries(members))
      .meta({ id: named, description: 'Without `fields`, no member of a skill is missing.' })
  selections.set(skill, schema)
  return schema
}
