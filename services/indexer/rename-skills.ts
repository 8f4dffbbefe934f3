import { repositoryOf, type SkillPlace, splitSkillName } from '../../shared/fields/web-address.js'
import { withLock } from '../../shared/ports/locks.js'
import type { SkillContent } from '../../shared/ports/skill-texts.js'
import { givenSkillId, type StoredSkill, skillId } from '../../shared/records/skill.js'
import { dayOf, trendOf } from '../../shared/records/stats.js'
import { AppError } from '../../shared/runtime/errors.js'
import { parseUrl } from '../../shared/text/parse-url.js'
import { isSameRecord } from '../../shared/write-outcome.js'
import { recordHistory } from './jobs/record-history.js'
import { batchesOf, findSkills, type ModeratedCatalog, skillsOf, unknownRecord } from './moderation.js'

/** The maximum wait for the job of the star histories. */
const lockTimeoutMs = 10_000

/**
 * Gives a skill another owner, repository or name. Requests for the present id are redirected; its record stays, hidden, so
 * that a crawler that still knows it does not publish it again. The history of its stars, its text and files go with it.
 *
 * @param name the new `owner/repo` or `owner/repo@skill`, as it is to be written
 * @throws AppError `record_unknown` (404), `bad_arguments` (400), `id_taken` (409)
 */
export async function renameSkill(
  catalog: ModeratedCatalog,
  id: string,
  name: string,
  options: RenameOptions,
): Promise<string> {
  const target = targetOf(name)
  await renameAll(catalog, [{ from: givenSkillId(id), target }], options)
  return skillId(target.owner, target.repo, target.skill)
}

/**
 * As `renameSkill`, of all skills of a repository that are not removed; their own names stay.
 *
 * @param id of a repository
 * @param name the new `owner/repo`, as it is to be written
 * @returns the new ids
 * @throws AppError as `renameSkill`: nothing is changed
 */
export async function renameRepository(
  catalog: ModeratedCatalog,
  id: string,
  name: string,
  options: RenameOptions,
): Promise<string[]> {
  const target = targetOf(name)
  if (target.skill !== null) {
    throw new AppError(400, 'bad_arguments', `${name} is one skill. With --all-skills, give a repository: owner/repo.`)
  }
  const to = skillId(target.owner, target.repo, null)
  const renames = (await skillsOf(catalog, id.toLowerCase(), { withRemoved: false, to })).map((from) => ({
    from,
    target: { ...target, skill: from.split('@')[1] ?? null },
  }))
  await renameAll(catalog, renames, options)
  return renames.map(({ target: { owner, repo, skill } }) => skillId(owner, repo, skill))
}

interface RenameOptions {
  now: Date
  signal: AbortSignal
}

interface Rename {
  /** The present id. */
  from: string
  target: SkillPlace
}

interface Renamed {
  /** The former id. */
  from: string
  /** The record under it. */
  left: StoredSkill
  skill: StoredSkill
}

function targetOf(name: string): SkillPlace {
  const target = splitSkillName(name)
  if (target === null) {
    throw new AppError(
      400,
      'bad_arguments',
      `${name} is not the id of a skill, which looks like owner/repo or owner/repo@skill.`,
    )
  }
  return target
}

async function renameAll(catalog: ModeratedCatalog, renames: Rename[], { now, signal }: RenameOptions): Promise<void> {
  const renamed: Renamed[] = []
  for (const batch of batchesOf(renames)) {
    const to = batch.map(({ target: { owner, repo, skill } }) => skillId(owner, repo, skill))
    const stored = await findSkills(catalog, [...new Set([...batch.map(({ from }) => from), ...to])])
    for (const { from, target } of batch) {
      const skill = stored.get(from)
      if (skill === undefined) {
        throw await unknownRecord(catalog, 'skills', from)
      }
      renamed.push({ from, left: skill, skill: renamedSkill(skill, from, target, stored) })
    }
  }
  // The job of the histories must not write one of them meanwhile.
  await withLock({ catalog, signal }, recordHistory.name, lockTimeoutMs, async (lock) => {
    for (const batch of batchesOf(renamed)) {
      // Former names go with the skill: what is left must not seem to be the later one.
      await catalog.put(
        'skills',
        batch.flatMap(({ from, left, skill }) =>
          from === skill.id || left.formerIds.length === 0 ? [skill] : [{ ...left, formerIds: [] }, skill],
        ),
        { contents: await contentsOf(catalog, batch) },
      )
      const moved = new Map(batch.flatMap(({ from, skill }) => (from === skill.id ? [] : [[from, skill.id]])))
      const histories = new Map(
        (await catalog.readHistories([...moved].flat())).map(({ id, days }) => [id, days] as const),
      )
      await catalog.writeHistories(
        [...moved].flatMap(([from, id]) => {
          // Without one, it must not have that of a removed skill.
          const days = histories.get(from) ?? []
          return histories.has(from) || histories.has(id) ? [{ id, days, trend: trendOf(days, dayOf(now)) }] : []
        }),
        lock,
      )
      const hidden = [...moved.keys()].map((id) => ({ id, state: 'hidden', removedAt: null }) as const)
      await catalog.setStates('skills', hidden)
    }
  })
}

/** The texts and files of skills, to be kept under their new ids as well. */
async function contentsOf(catalog: ModeratedCatalog, renamed: Renamed[]): Promise<SkillContent[]> {
  const contents: SkillContent[] = []
  for (const { from, skill } of renamed) {
    const { id, digest } = skill
    const [kept, files] =
      digest === null || from === id
        ? [null, null]
        : [await catalog.readText({ id: from, digest }), await catalog.readFiles({ id: from, digest })]
    if (digest !== null && kept !== null && files !== null) {
      contents.push({ id, digest, text: kept.text, files })
    }
  }
  return contents
}

/**
 * A skill under its new id, also where an interrupted rename has written it there already.
 *
 * @throws AppError `id_taken` (409)
 */
function renamedSkill(
  skill: StoredSkill,
  from: string,
  target: SkillPlace,
  stored: ReadonlyMap<string, StoredSkill>,
): StoredSkill {
  const to = skillId(target.owner, target.repo, target.skill)
  const repository = skill.url !== null && parseUrl(skill.url) !== null ? repositoryOf(skill.url) : null
  const isOwnAddress = repository !== null && skillId(repository.owner, repository.repo, skill.skill) === from
  const renamed = {
    ...skill,
    ...target,
    id: to,
    // Only the repository's own skill is in the root.
    path: (target.skill === null) === (skill.skill === null) ? skill.path : null,
    name: skill.name === (skill.skill ?? skill.repo) ? (target.skill ?? target.repo) : skill.name,
    url: isOwnAddress ? new URL(`/${target.owner}/${target.repo}`, skill.url ?? undefined).href : skill.url,
    formerIds: from === to ? skill.formerIds : [...new Set([...skill.formerIds, from])].filter((each) => each !== to),
  }
  const taken = stored.get(to)
  // What an earlier rename has left may be taken back.
  if (from === to || taken === undefined || taken.state === 'removed' || skill.formerIds.includes(to)) {
    return renamed
  }
  // The former ids have gone there already.
  const continued = { ...renamed, formerIds: taken.formerIds }
  if (taken.formerIds.includes(from) && isSameRecord(taken, continued)) {
    return continued
  }
  throw new AppError(
    409,
    'id_taken',
    `${to} is the id of another skill, which is ${taken.state}. Remove that one first: catalog remove ${to}`,
  )
}
