import { z } from 'zod'
import { installLine } from '../../../../shared/fields/repository-pages.js'
import { SkillSchema } from '../../../../shared/records/schemas.js'
import { writtenId } from '../../../../shared/records/skill.js'
import { printableLine } from '../../../../shared/text/clean-text.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { formatMoment, indented, type Screen } from './screen.js'

/** A skill of a catalog of any version: an earlier one does not say where in its repository a skill lies. */
const AnySkill = SkillSchema.extend({
  skill: SkillSchema.shape.skill.default(null),
  path: SkillSchema.shape.path.default(null),
  commit: SkillSchema.shape.commit.default(null),
  digest: SkillSchema.shape.digest.default(null),
})

const Highlighted = z.string().nullish()

/** A skill that a search has found, with its matches marked as HTML where they were requested. */
const Hit = AnySkill.extend({
  highlights: z.object({ name: Highlighted, description: Highlighted, passage: Highlighted }).optional(),
  /** An earlier version has none. */
  passage: z.string().nullish(),
  /** Only where one skill of each repository is shown. */
  others: z.int().optional(),
})

/** The members of the answer of a search that are shown. */
export const SearchAnswer = z.object({
  data: z.array(Hit),
  degraded: z.boolean(),
  query: z.string(),
  hints: z.array(z.object({ text: z.string(), parameter: z.string(), value: z.string() })).default([]),
  pagination: z.object({
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    totalIsLowerBound: z.boolean(),
    totalPages: z.int(),
  }),
})

/** The answer with one skill. */
export const SkillAnswer = z.object({
  data: AnySkill,
  skills: z.array(AnySkill.pick({ id: true, name: true })).default([]),
  skillsTotal: z.int().default(0),
})

/** Columns for the number of a hit, and for the names of the fields of a skill. */
const numberColumns = 5
const labelColumns = 12

/** The hits of a search, best first, and how many there are. */
export function searchText(answer: z.output<typeof SearchAnswer>, screen: Screen, now: Date): string {
  const { data, pagination, query, degraded, hints } = answer
  const { page, limit, total, totalIsLowerBound, totalPages } = pagination
  const asText = hints.map(
    ({ text, parameter, value }) =>
      `${printableLine(text)} was searched for as text. To filter, use --${printableLine(parameter)} with ${printableLine(value)} instead.\n`,
  )
  if (data.length === 0) {
    const none =
      total === 0
        ? `No skill matches ${printableLine(query)}. Try fewer or other words.\n`
        : `There is no page ${page}.\n`
    return [none, ...asText].join('')
  }
  const first = (page - 1) * limit + 1
  const hits = data.map((hit, index) => hitText(hit, first + index, screen, now))
  const found = `${totalIsLowerBound ? 'More than ' : ''}${formatCount(total, data[0]?.others === undefined ? 'skills' : 'repositories')} found`
  const more = page < totalPages ? `; --page ${page + 1} shows more` : ''
  return [
    ...hits,
    `${found}, ${first} to ${first + data.length - 1} shown${more}.\n`,
    ...asText,
    ...(degraded ? ['Words alone decided: the meaning could not count at the moment.\n'] : []),
  ].join('\n')
}

function hitText(hit: z.output<typeof Hit>, number: number, screen: Screen, now: Date): string {
  const { style } = screen
  const name = marked(hit.highlights?.name, hit.name, screen)
  const facts = [
    ...(hit.stars === null ? [] : [`★ ${formatNumber(hit.stars)}`]),
    ...[hit.license, hit.language].filter((value) => value !== null).map(printableLine),
    ...(hit.updatedAt === null ? [] : [`updated ${formatMoment(hit.updatedAt, now, screen)}`]),
    ...(hit.archived ? ['archived'] : []),
    ...(hit.others ? [`${formatNumber(hit.others)} more in this repository`] : []),
  ]
  const description = marked(hit.highlights?.description, hit.description ?? '', screen)
  const passage = marked(hit.highlights?.passage, hit.passage ?? '', screen)
  const lines = [
    `${style('cyan', printableLine(writtenId(hit)))}  ${name}`,
    style('dim', facts.join(' · ')),
    description,
    passage === '' ? '' : `SKILL.md: ${passage}`,
    style('dim', printableLine(hit.topics.join(', '))),
  ]
  const body = indented(lines.filter((line) => line !== '').join('\n'), numberColumns, screen)
  return `${`${number}.`.padStart(numberColumns - 1)}${body.slice(numberColumns - 1)}\n`
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** A text with its matches in bold. @param html with matches in `<em>`; none: nothing is marked */
function marked(html: string | null | undefined, text: string, { style }: Screen): string {
  return html
    ? printableLine(html)
        .replaceAll(/<em>(.*?)<\/em>/gs, (_, match) => style('bold', match))
        .replaceAll(/&(#?\w+);/g, (entity, name) => entities[name] ?? entity)
    : printableLine(text)
}

/** One skill, with all of its fields that have a value; of a repository, the ids of the skills in it. */
export function skillText(
  { data: skill, skills, skillsTotal }: z.output<typeof SkillAnswer>,
  screen: Screen,
  now: Date,
): string {
  const moment = (iso: string | null) => (iso === null ? null : formatMoment(iso, now, screen))
  const fields: [label: string, value: string | number | null][] = [
    ['topics', skill.topics.length === 0 ? null : skill.topics.join(', ')],
    ['license', skill.license],
    ['language', skill.language],
    ['stars', skill.stars],
    ['forks', skill.forks],
    ['version', skill.version],
    ['archived', skill.archived ? 'yes: no longer maintained' : null],
    ['skill', skill.skill],
    ['path', skill.path],
    ['repository', skill.url],
    ['install', installLine(skill)],
    ['homepage', skill.homepage],
    ['created', moment(skill.createdAt)],
    ['updated', moment(skill.updatedAt)],
    ['published', moment(skill.publishedAt)],
    ['indexed', moment(skill.indexedAt)],
  ]
  const lines = fields.flatMap(([label, value]) => {
    const text = typeof value === 'number' ? formatNumber(value) : printableLine(value ?? '')
    return value === null
      ? []
      : [screen.style('bold', label.padEnd(labelColumns)) + indented(text, labelColumns, screen).slice(labelColumns)]
  })
  const title = `${screen.style('cyan', printableLine(writtenId(skill)))}  ${printableLine(skill.name)}`
  const description = skill.description === null ? [] : [screen.wrap(printableLine(skill.description)), '']
  const more = skillsTotal > skills.length ? [`and ${formatNumber(skillsTotal - skills.length)} more`] : []
  const named = skills.length === 0 ? [] : ['', 'Its skills:', ...skills.map(({ id }) => printableLine(id)), ...more]
  return `${[title, '', ...description, ...lines, ...named].join('\n')}\n`
}
