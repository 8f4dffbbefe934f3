import { repositoryId, type Skill } from '../../shared/records/skill.js'
import type { History, Reading } from './history.js'

/** The view of a repository: its record, or one made of its skills, and the skills that have names of their own. */
export interface RepositoryAnswer {
  data: Skill
  skills?: Pick<Skill, 'id' | 'skill' | 'name' | 'description' | 'path'>[]
  skillsTotal?: number
}

/** Why a repository must not have been shown like this. @param shown null: it was not found, removed or renamed */
export function repositoryViolations(
  id: string,
  shown: RepositoryAnswer | null,
  read: Omit<Reading, 'source'>,
  history: History,
): string[] {
  const reading: Reading = { ...read, source: 'records' }
  const { data, skills = [], skillsTotal = 0 } = shown ?? {}
  const listed = new Set(skills.map((skill) => skill.id))
  const isOwn = data !== undefined && history.version(id, data.stars)?.name === data.name
  const own = isOwn ? history.violation(data, reading) : history.absenceViolation(id, reading)
  const absent = history
    .idsOf(id)
    .filter((each) => !listed.has(each))
    .map((each) => history.absenceViolation(each, reading))
  const versions = skills.map((skill) => versionOf(skill.name))
  const present = skills.map((skill, place) => {
    const version = history.version(skill.id, versions[place] ?? null)
    const isWritten =
      version !== null && Object.entries(skill).every(([name, value]) => version[name as keyof Skill] === value)
    return isWritten ? history.violation(version, reading) : `this was never written: ${JSON.stringify(skill)}`
  })
  const isInOrder = versions.every((version, place) => place === 0 || version <= (versions[place - 1] ?? 0))
  const stars = versions.reduce((max, version) => Math.max(max, version), 0)
  return [
    own,
    ...absent,
    ...present,
    isInOrder ? null : `${id}: the skills are not in the order of their stars`,
    listed.size === skillsTotal && skills.every((skill) => repositoryId(skill.id) === id)
      ? null
      : `${id} has ${skillsTotal} skills, and lists ${[...listed]}`,
    data === undefined || isOwn || (data.id === id && data.stars === stars)
      ? null
      : `${id} was made of other skills: ${JSON.stringify(data)}`,
  ].filter((violation) => violation !== null)
}

/** The version of a skill by its name, which is also the number of its stars. */
const versionOf = (name: string): number => Number(name.replace(/\D/g, ''))
