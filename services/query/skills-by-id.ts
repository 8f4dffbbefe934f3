import { z } from 'zod'
import { type FieldError, invalidParameters } from '../../shared/errors.js'
import type { CatalogStore } from '../../shared/ports/catalog-store.js'
import { segmentPattern } from '../../shared/records/fields.js'
import type { Skill } from '../../shared/records/skill.js'
import { commaListPattern } from './openapi/comma-list.js'
import { shownAs } from './openapi/shown-as.js'

/** The most skills that one request looks up. */
export const maxIds = 100

const idPattern = `${segmentPattern}/${segmentPattern}`
const idForm = new RegExp(`^${idPattern}$`)

/** A malformed id is repeated to its sender at most to this length. */
const maxRepeated = 100

/** `ids=`: a comma list of ids in any case, which become lower case, each once. */
export const IdList = z
  .string()
  .transform((text, context) => {
    const ids = text.split(',')
    const malformed = ids.find((id) => !idForm.test(id))
    const distinct = [...new Set(ids.map((id) => id.toLowerCase()))]
    if (malformed !== undefined) {
      const repeated = JSON.stringify(malformed.slice(0, maxRepeated))
      context.addIssue(`holds ${repeated}, which is not an owner and a repository such as acme/pdf-tools.`)
    } else if (distinct.length > maxIds) {
      context.addIssue(`names ${distinct.length} skills; ask for at most ${maxIds} at once.`)
    }
    return distinct
  })
  .meta(shownAs({ type: 'string', pattern: commaListPattern(idPattern, maxIds) }))

/** Why an id is not among the skills that were found, and the id to ask for instead. */
export const MissingSkill = z.object({
  id: z.string().describe('as asked for, in lower case'),
  reason: z.enum(['unknown', 'removed', 'renamed']),
  presentId: z.string().nullable().describe('what a renamed skill is called now; null for the others'),
})
type MissingSkill = z.infer<typeof MissingSkill>

/**
 * What has been given beside `ids` selects or sorts, which would leave some of them out without a word.
 *
 * @param given names of the request's parameters
 * @throws AppError `invalid_parameters` (400) that names each of them
 */
export function refuseBesideIds(given: string[]): void {
  const errors = [...new Set(given)]
    .filter((parameter) => !['ids', 'fields'].includes(parameter))
    .map(
      (parameter): FieldError => ({ parameter, message: 'cannot be given together with ids: leave one of them out.' }),
    )
  if (errors.length > 0) {
    throw invalidParameters(errors)
  }
}

/** The published skills of these ids, in their order, and what became of the others. */
export async function findByIds(
  catalog: Pick<CatalogStore, 'findSkills'>,
  ids: string[],
): Promise<{ skills: Skill[]; missing: MissingSkill[] }> {
  const skills: Skill[] = []
  const missing: MissingSkill[] = []
  for (const [position, found] of (await catalog.findSkills(ids)).entries()) {
    if (found.state === 'published') {
      skills.push(found.skill)
    } else {
      const presentId = found.state === 'renamed' ? found.presentId : null
      missing.push({ id: ids[position] ?? '', reason: found.state, presentId })
    }
  }
  return { skills, missing }
}
