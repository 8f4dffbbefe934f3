import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Source } from './source.js'

/** Folders with the files of a skill, and of tests wherever they are. */
const partsOfSkill = /^(?:references?|examples?|assets|templates?|resources|scripts|backups?)$/i
const tests = /^(?:tests?|__tests__|fixtures?|__fixtures__|test-?data|test-?fixtures)$/i

/**
 * Whether a SKILL.md is a file of another skill, or of tests.
 *
 * @param folder the requested folder
 * @param folders the absolute paths of the folders that have a SKILL.md
 */
export function isPartOfSkill({ label, checkout }: Source, folder: string, folders: ReadonlySet<string>): boolean {
  const root = resolve(checkout?.folder ?? folder)
  const names = relative(root, dirname(label)).split(sep)
  return names.some((name, place) => {
    const above = names.slice(0, place).map((_name, at) => join(root, ...names.slice(0, at + 1)))
    const isInSkill = [root, ...above].some((ancestor) => folders.has(ancestor))
    // Outside of a checkout the first two names are an owner and a repository, which may have such names.
    return (isInSkill && (partsOfSkill.test(name) || tests.test(name))) || ((checkout || place > 1) && tests.test(name))
  })
}
