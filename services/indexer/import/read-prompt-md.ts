import { basename, dirname, relative, resolve, sep } from 'node:path'
import { readFrontMatter } from '../../../shared/fields/front-matter.js'
import { filePage } from '../../../shared/fields/repository-pages.js'
import { type Members, readYamlMembers, type Unreadable } from '../../../shared/fields/yaml-members.js'
import { importNames, memberOf } from '../../../shared/records/field-names.js'
import { maxCharacters } from '../../../shared/records/fields.js'
import type { Checkout } from './checkout.js'
import { frontMatter } from './read-skill-md.js'
import type { SourceItem } from './source.js'

const endings = /(?:\.(?:prompt|chatmode|agent|instructions))?\.(?:md|mdc|prompt|prompty|toml)$|\.prompt\.ya?ml$/i

/** Pages of a project, and skills. */
const others = /^(?:skill|readme|licen[cs]e|changelog|contributing|code[_-]of[_-]conduct|security)\b/i

/** Folders in which programs keep prompts, each in a file. */
const folders = /^(?:prompts?|commands|agents|chatmodes|patterns)$/i

/** Whether a file is read as one prompt, where its type is that of prompts. */
export const isPromptFile = (name: string): boolean => endings.test(name) && !others.test(name)

/** Whether a file in a folder is one prompt: by its name, or by that of a folder around it. */
export const isPromptAt = (path: string): boolean =>
  isPromptFile(basename(path)) &&
  (!/^[^.]*\.(?:md|toml)$/i.test(basename(path)) ||
    resolve(path)
      .split(/[/\\]/)
      .some((name) => folders.test(name)))

/** Names of files that say nothing of what is in them. */
const plainNames = /^(?:system|user|prompt|index|rules?)$/i

/**
 * Reads the prompt of a file, as programs have them for commands, agents and rules: what follows its front matter, under the
 * name in there, else that of the file. A file in YAML or TOML has all in its members. In a checkout its path is its id, which
 * stays when its text changes.
 *
 * @param checkout the repository that it lies in; null: it is not known
 */
export function readPromptMd(path: string, text: string, checkout: Checkout | null = null): SourceItem {
  const front = readMembers(path, text)
  if (front === null || 'reason' in front) {
    return { place: frontMatter, reason: front?.reason ?? 'has no names and values' }
  }
  const { members, dropped, body } = front
  const [own, folder] = [basename(path).replace(endings, ''), basename(dirname(resolve(path)))]
  const name = plainNames.test(own) ? folder : own
  const record = {
    ...(checkout && placeIn(resolve(path), checkout)),
    ...members,
    ...(memberOf(members, importNames.prompts.title) === undefined && { title: name }),
    ...(body !== undefined && { content: body.trim() }),
  }
  return { place: frontMatter, record, sizeBytes: text.length, dropped }
}

/** The id and the address of a file in a checkout. */
function placeIn(path: string, { folder, owner, repo, url, commit }: Checkout): { id?: string; url: string | null } {
  const place = relative(folder, path).split(sep).join('/')
  const id = `${owner}/${repo}/${place}`
  return { ...(id.length <= maxCharacters.promptId && { id }), url: filePage({ url, commit, path: '' }, place) }
}

/** The members of a file, and what follows them. */
function readMembers(path: string, text: string): (Members & { body?: string }) | Unreadable | null {
  if (/\.ya?ml$/i.test(path)) {
    return readYamlMembers(text)
  }
  if (/\.toml$/i.test(path)) {
    const front = readFrontMatter(`+++\n${text}\n+++\n`)
    return 'reason' in front ? front : { members: front.members, dropped: front.dropped }
  }
  // A text may begin with a line that looks like a member.
  return /^\ufeff?\s*(?:-{3}|\+{3})/.test(text) ? readFrontMatter(text) : { members: {}, dropped: [], body: text }
}
