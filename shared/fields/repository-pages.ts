import { type Skill, writtenId } from '../records/skill.js'
import { parseUrl } from '../text/parse-url.js'
import { forges, repositoryOf, toSkillName } from './web-address.js'

/** Where forges show a version of a repository, below the repository's address. */
const pagesOf: Record<string, { file: string; folder: string; commit: string }> = {
  'github.com': { file: 'blob', folder: 'tree', commit: 'commit' },
  'gitlab.com': { file: '-/blob', folder: '-/tree', commit: '-/commit' },
}

type Place = Pick<Skill, 'url' | 'commit'>

const hostOf = (url: string): string => new URL(url).hostname.replace(/^www\./, '')

/** Whether a repository is at a forge that is known not to be GitHub, which tools take `owner/repo` to mean. */
export const isOnOtherForge = (url: string): boolean => hostOf(url) !== 'github.com' && forges.has(hostOf(url))

/** A page of the repository of a skill; null: its forge or its repository is not known. */
function pageOf({ url }: Place, kind: 'file' | 'folder' | 'commit', rest: string): string | null {
  const repository = url === null ? null : repositoryOf(url)
  const host = url === null ? '' : hostOf(url)
  const page = pagesOf[host]?.[kind]
  return repository && page ? `https://${host}/${repository.owner}/${repository.repo}/${page}/${rest}` : null
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The page of the commit from which a skill was read; null: not known. */
export const commitPage = (skill: Place): string | null =>
  skill.commit === null ? null : pageOf(skill, 'commit', skill.commit)

/** The page of a skill's folder, in the version that was read where it is known; null: not known. */
export const folderPage = (skill: Place & Pick<Skill, 'path'>): string | null =>
  skill.path === null
    ? null
    : pageOf(skill, 'folder', `${skill.commit ?? 'HEAD'}/${encoded(skill.path)}`.replace(/\/$/, ''))

/** The page of a file in a skill's folder. @param path from that folder; null: not known */
export const filePage = (skill: Place & Pick<Skill, 'path'>, path: string): string | null =>
  skill.path === null
    ? null
    : pageOf(skill, 'file', [skill.commit ?? 'HEAD', encoded(skill.path), encoded(path)].filter(Boolean).join('/'))

/**
 * Where a link in the text of a skill leads that is a path: to a file of its repository in the version that was read.
 *
 * @param link from the skill's folder, or from the root of the repository with a slash in front; with its query and fragment
 * @returns null where repository, commit or folder are not known
 */
export function linkedFile(skill: Place & Pick<Skill, 'path'>, link: string): string | null {
  if (skill.commit === null || skill.path === null) {
    return null
  }
  // A host that nobody has: a path cannot lead out of the root.
  const root = 'https://repository.invalid'
  const folder = `${root}/${skill.path === '' ? '' : `${encoded(skill.path)}/`}`
  const target = parseUrl(link, folder)
  if (target?.origin !== root) {
    return null
  }
  const file = target.pathname.replace(/^\/+/, '')
  const kind = file === '' || file.endsWith('/') ? 'folder' : 'file'
  return pageOf(skill, kind, `${skill.commit}/${file}${target.hash}`)
}

/** An address without characters that a shell reads as its own. */
const plainAddress = /^https?:\/\/[\w./:@%+~-]+$/

/** A name that a shell reads as it is; and one that it does between quotes, and that no program takes for an option. */
const plainName = /^\w[\w.-]*$/
const quotableName = /^(?!-)[^"$%!`\\\p{C}]+$/u

/**
 * The name by which https://skills.sh knows one of several skills of a repository: that of its SKILL.md, in any case. The one
 * in its id is made of it, without what ids cannot have. Null: the repository is the skill.
 */
export function nameInRepository({ skill, name, path, commit }: NamedSkill): string | null {
  // Other records than those of a checkout may have a title as their name.
  const isOfItsFile = path !== null && commit !== null && toSkillName(name) === skill
  return isOfItsFile && name.toLowerCase() !== skill ? name : skill
}

type NamedSkill = Pick<Skill, 'skill' | 'name' | 'path' | 'commit'>

/**
 * The command that installs a skill with https://skills.sh: by its id where it is on GitHub, which the command takes ids to
 * mean, or nothing is known of where it is; else by its repository's address. Null: that address, or its name, cannot be
 * typed as it is.
 */
export function installLine(skill: NamedSkill & Pick<Skill, 'owner' | 'repo' | 'url'>): string | null {
  const { owner, repo, url } = skill
  const name = nameInRepository(skill)
  const isPlain = name === null || plainName.test(name)
  if (!isPlain && !quotableName.test(name)) {
    return null
  }
  const option = name === null ? '' : ` --skill ${isPlain ? name : `"${name}"`}`
  if (url === null || hostOf(url) === 'github.com') {
    return `npx skills add ${isPlain ? writtenId({ owner, repo, skill: name }) : `${owner}/${repo}${option}`}`
  }
  return plainAddress.test(url) ? `npx skills add ${url}${option}` : null
}
