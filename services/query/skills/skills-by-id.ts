import { z } from 'zod'
import type { Catalog } from '../../../shared/ports/catalog.js'
import { segmentPattern, skillSegmentPattern } from '../../../shared/records/fields.js'
import { givenSkillId } from '../../../shared/records/skill.js'
import { type FieldError, invalidParameters } from '../../../shared/runtime/errors.js'
import { commaListPattern, documentedAs } from '../openapi/documented-as.js'

/** Skills that one request looks up. */
export const maxIds = 100

/** As the field's tools write it, too: `owner/repo/skill`. */
const idPattern = `${segmentPattern}/${skillSegmentPattern.replace('@', '[@/]')}`
/** An id as people and tools write it, in any case. */
export const idForm = new RegExp(`^${idPattern}$`)

/** Characters of a malformed id that are returned to its sender. */
const maxRepeated = 100

/** `ids=`: a comma list of ids in any case, as distinct ids in lower case. */
export const IdList = z
  .string()
  .transform((text, context) => {
    const ids = text.split(',')
    const malformed = ids.find((id) => !idForm.test(id))
    const distinct = [...new Set(ids.map(givenSkillId))]
    if (malformed !== undefined) {
      const repeated = JSON.stringify(malformed.slice(0, maxRepeated))
      context.addIssue(`has ${repeated}, which is not an id such as acme/pdf-tools or acme/skills@pdf.`)
    } else if (distinct.length > maxIds) {
      context.addIssue(`names ${distinct.length} skills; ask for at most ${maxIds} at once.`)
    }
    return distinct
  })
  .meta(documentedAs({ type: 'string', pattern: commaListPattern(idPattern, maxIds) }))

/** Why a skill was not found, and the id to request instead. */
export const MissingSkill = z.object({
  id: z.string().describe('the requested id, in lower case'),
  reason: z.enum(['unknown', 'removed', 'renamed']),
  presentId: z.string().nullable().describe('the present id of a renamed skill; null for the others'),
})
type MissingSkill = z.infer<typeof MissingSkill>

/**
 * Other parameters would filter or sort, and so drop some of the requested skills.
 *
 * @param given names of the request's parameters
 * @throws AppError `invalid_parameters` (400) that names each of them
 */
export function refuseParametersWithIds(given: string[]): void {
  const errors = [...new Set(given)]
    .filter((parameter) => !['ids', 'fields'].includes(parameter))
    .map((parameter): FieldError => ({ parameter, message: 'cannot be given together with ids: omit one of them.' }))
  if (errors.length > 0) {
    throw invalidParameters(errors)
  }
}

/** The published skills of these ids as JSON, in their order, and the reasons for the others. */
export async function findByIds(
  catalog: Pick<Catalog, 'findSkills'>,
  ids: string[],
): Promise<{ skills: { record: string }[]; missing: MissingSkill[] }> {
  const skills: { record: string }[] = []
  const missing: MissingSkill[] = []
  for (const [position, found] of (await catalog.findSkills(ids)).entries()) {
    if (found.state === 'published') {
      skills.push(found)
    } else {
      const presentId = found.state === 'renamed' ? found.presentId : null
      missing.push({ id: ids[position] ?? '', reason: found.state, presentId })
    }
  }
  return { skills, missing }
}
