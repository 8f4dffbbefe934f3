import { parse } from 'yaml'
import { z } from 'zod'
import { type KeptText, maxTextBytes } from '../../../shared/ports/skill-texts.js'
import { isSkillName } from '../../../shared/records/fields.js'
import { Digest } from '../../../shared/records/schemas.js'
import type { Skill } from '../../../shared/records/skill.js'
import { withoutControls } from '../../../shared/text/clean-text.js'
import { textAsKept } from '../../../shared/text/skill-text.js'
import type { Backends } from '../observability/backends.js'

/**
 * Skills in the index of a repository. A client takes each by a request of its own, and its quota is 100 a minute: what is
 * beyond it would be left out in silence.
 */
export const maxIndexed = 50

/** Skills of which those are looked for that may be in an index. */
export const maxConsidered = 100

/** The schema of indexes by Agent Skills Discovery, a draft: https://github.com/cloudflare/agent-skills-discovery-rfc */
const schemaAddress = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/** A skill that the catalog has whole: it consists of its SKILL.md, which is kept. */
export const WholeSkill = z
  .object({
    name: z.string().describe('by its SKILL.md, as the Agent Skills specification has names'),
    type: z.literal('skill-md').describe('its only file is its SKILL.md'),
    description: z.string().describe('by its SKILL.md'),
    url: z.string().describe('where its SKILL.md is, from the origin on'),
    digest: Digest.describe('SHA-256 of the bytes that the catalog answers there'),
    id: z.string().describe('the id of the skill in this catalog'),
    size: z.int().describe('bytes of its SKILL.md'),
    frontmatter: z
      .record(z.string(), z.unknown())
      .describe('all fields of the front matter of its SKILL.md, as written'),
  })
  .meta({ id: 'WholeSkill' })
export type WholeSkill = z.output<typeof WholeSkill>

/** An index of skills by Agent Skills Discovery 0.2.0. */
export const SkillsIndex = z.object({
  $schema: z.literal(schemaAddress).describe('names the form, version 0.2.0'),
  skills: z.array(WholeSkill).describe(`at most ${maxIndexed}; each name once`),
})

/** Front matter as the Agent Skills specification has it: the first line is `---`. https://agentskills.io/specification */
const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** UTF-16 code units of front matter. */
const maxFrontMatter = 16_384

const Described = z.looseObject({
  name: z.string().refine(isSkillName),
  description: z.string().trim().min(1).max(1_024),
})

/** What clients check of a SKILL.md, and of its name, before they take it; null: they would not take it. */
export function wholeSkill({ id, skill }: Pick<Skill, 'id' | 'skill'>, { text, digest }: KeptText): WholeSkill | null {
  const yaml = frontMatter.exec(text.slice(0, maxFrontMatter))?.[1]
  const members = yaml === undefined ? null : membersIn(yaml)
  const described = Described.safeParse(members)
  if (!described.success || (skill !== null && described.data.name !== skill)) {
    return null
  }
  const { name } = described.data
  const frontmatter = members as Record<string, unknown>
  const description = String(frontmatter['description'])
  const url = `/api/v1/skills/${id}/SKILL.md`
  return { name, type: 'skill-md', description, url, digest, id, size: Buffer.byteLength(text), frontmatter }
}

/** The members of YAML as JSON has them; null: it has none, cannot be read, or hides something. */
function membersIn(yaml: string): unknown {
  // Otherwise the text is kept as its author wrote it, and hides nothing that is not shown.
  const isCleaned = textAsKept('cleaned', yaml) === yaml
  try {
    return JSON.parse(JSON.stringify(parse(yaml, { logLevel: 'error' })), (name, value: unknown) => {
      if (isCleaned && [name, value].some(hidesSomething)) {
        throw new SyntaxError('escapes hide what is removed from texts')
      }
      return value
    })
  } catch {
    return null
  }
}

/** Whether a value has what is removed from texts: escapes of YAML, such as `\x40`, hide it there. */
const hidesSomething = (value: unknown): boolean =>
  typeof value === 'string' && textAsKept('cleaned', withoutControls(value)) !== value

/**
 * The index of those of these skills that the catalog has whole, in their order; of equal names the first.
 *
 * @param skills published ones
 * @param limit at most so many of them
 * @throws AppError `catalog_unavailable` (503)
 */
export async function indexOf(
  catalog: Pick<Backends['catalog'], 'readWholeTexts'>,
  skills: readonly Skill[],
  limit = maxIndexed,
): Promise<z.output<typeof SkillsIndex>> {
  // A skill without a digest has no text; nor has the view of a repository, which is made of its skills.
  const asked = skills.filter(({ digest }) => digest !== null)
  const query = { maxBytes: maxTextBytes, soleOnly: true }
  const texts = asked.length === 0 ? null : await catalog.readWholeTexts(asked, query)
  const listed = new Map<string, WholeSkill>()
  for (const skill of asked) {
    const { text = null, digest = '' } = texts?.get(skill.id) ?? {}
    const whole = text === null ? null : wholeSkill(skill, { text, digest })
    if (whole !== null && !listed.has(whole.name) && listed.size < limit) {
      listed.set(whole.name, whole)
    }
  }
  return { $schema: schemaAddress, skills: [...listed.values()] }
}
