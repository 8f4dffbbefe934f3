import { maxSkillFiles, maxTextBytes, type SkillFile, type SkillFiles } from '../ports/skill-texts.js'
import { holdsAddress } from '../privacy/personal-addresses.js'
import { comparableName, importNames, memberOf, unwrap } from '../records/field-names.js'
import { isRecordState } from '../records/fields.js'
import { cleanLine, inText } from '../text/clean-text.js'
import { digestOf } from '../text/skill-text.js'
import { countIn, splitList } from '../text/values-in-text.js'
import { brief } from './field-reader.js'
import { countOf, type FieldValues, type GivenValue, isNoValue, valuesByComparableName } from './field-values.js'
import { readFrontMatter } from './front-matter.js'
import { mapFields } from './map-fields.js'

/** The text and files of a skill as its source has them. */
export interface ReadContent {
  text: string
  /** The digest of the bytes of the text. */
  digest: string
  files: SkillFiles
}

/** Why a text is not kept. */
export const textTooLong = `its text has more than ${maxTextBytes} bytes, and is not kept`

const maxPathCharacters = 500

/** Whether the path of a file may be shown. */
export const isPublicPath = (path: string): boolean =>
  path.length <= maxPathCharacters && cleanLine(path) === path && !holdsAddress(path)

/** The content of a skill in a record, from its `skillMd` and `files`. */
export function contentIn(given: FieldValues<'skillMd' | 'files'>): { content: ReadContent | null; dropped: string[] } {
  const isText = ({ value }: GivenValue): boolean => typeof value === 'string' && value.trim() !== ''
  const texts = given('skillMd')
    .map(({ name, value }) => ({ name, value: textIn(value) }))
    .filter((each) => !isNone(each))
  const lists = given('files').filter((each) => !isNone(each))
  const text = texts.find(isText)
  const list = lists.find(({ value }) => filesIn(value) !== null)
  const counts = list === undefined ? lists.flatMap(({ value }) => countOf(value) ?? []) : []
  const odd = list === undefined ? lists.filter(({ value }) => countOf(value) === undefined) : []
  const dropped = [
    ...describe(text === undefined ? texts : [], 'must be text'),
    ...describe(odd, 'must be a list of files, or their number'),
  ]
  if (typeof text?.value !== 'string') {
    const reason = 'are kept together with the text of the skill, which the record has not got'
    return { content: null, dropped: [...dropped, ...(list === undefined ? [] : [`${list.name}: ${reason}`])] }
  }
  const size = Buffer.byteLength(text.value)
  if (size > maxTextBytes) {
    return { content: null, dropped: [...dropped, `${text.name}: ${textTooLong}`] }
  }
  const own = { path: 'SKILL.md', size, digest: digestOf(text.value) }
  const listed = filesIn(list?.value) ?? []
  const others = listed.map(fileIn)
  const [first, ...more] = listed.filter((_file, at) => others[at]?.isWhole !== true)
  if (list !== undefined && first !== undefined) {
    dropped.push(`${list.name}: ${1 + more.length} of the list: ${fileRule}, not ${brief(first)}`)
  }
  const files = [
    own,
    ...others.flatMap(({ file }) => (file === null || file.path.toLowerCase() === 'skill.md' ? [] : [file])),
  ]
  // Its SKILL.md is counted as well. A skill with a file that cannot be shown is not its SKILL.md alone.
  const total = Math.max(counts[0] ?? 0, files.length + others.filter(({ file }) => file === null).length)
  return {
    content: { text: text.value, digest: own.digest, files: { files: files.slice(0, maxSkillFiles), total } },
    dropped,
  }
}

/** A text, also in the object of a file, as in answers of GraphQL. */
const textIn = (value: unknown): unknown => unwrap(value, ['text'])

/** Whether a value is empty, or a word for none. */
const isNone = ({ value }: GivenValue): boolean =>
  isNoValue(value) || (typeof value === 'string' && value.trim() === '')

/** The files of a list, of one in a text, as a table has it, or of an object with each under its path; null: it is none. */
function filesIn(value: unknown): unknown[] | null {
  if (typeof value === 'string') {
    return countIn(value) === null ? splitList(value).map((path) => path.trim()) : null
  }
  if (value === null || typeof value !== 'object') {
    return null
  }
  const named = (path: string, file: unknown): unknown =>
    typeof file === 'object' ? { path, ...file } : typeof file === 'number' ? { path, size: file } : path
  return Array.isArray(value) ? value : Object.entries(value).map(([path, file]) => named(path, file))
}

const fileRule =
  'must have a path in the folder of the skill, and perhaps a size in bytes and the 64 hexadecimal digits of its SHA-256'

const describe = (values: GivenValue[], rule: string): string[] =>
  values.map(({ name, value }) => `${name}: ${rule}, not ${brief(value)}`)

/**
 * A file of a list: its path, or an object with a path and perhaps a size and a digest.
 *
 * @returns whether all of it could be read
 */
function fileIn(given: unknown): { file: SkillFile | null; isWhole: boolean } {
  const file = typeof given === 'object' && given !== null ? given : {}
  const path = typeof given === 'string' ? given : memberOf(file, ['path', 'filename', 'name'])
  if (typeof path !== 'string' || !isPublicPath(path) || path.startsWith('/') || path.split('/').includes('..')) {
    return { file: null, isWhole: false }
  }
  const givenSize = memberOf(file, ['size', 'bytes']) ?? null
  const read = countOf(givenSize) ?? null
  const givenDigest = memberOf(file, ['digest', 'sha256']) ?? null
  const digits = /^(?:sha256:)?([\da-f]{64})$/i.exec(inText(givenDigest))?.[1]
  return {
    file: { path, size: read, digest: digits === undefined ? null : `sha256:${digits.toLowerCase()}` },
    isWhole: (givenSize === null || read !== null) && (givenDigest === null || digits !== undefined),
  }
}

/** Whether an import reads a member of this name as the text of a SKILL.md. */
export const isSkillMd = (name: string): boolean => importNames.skills.skillMd.includes(comparableName(name))

/** Front matter that does not end within so many characters is read as far as it goes. */
const maxFrontMatter = 65_536

/**
 * Withdraws a published skill whose text begins with front matter that does: its author may say it there. Where that cannot
 * be understood, no schema accepts the state. Of any other member counts what is front matter of a SKILL.md for sure, with
 * its name and description, and is understood.
 *
 * @param fields as `mapFields` returns them
 * @param refused the reason of a state that no schema accepts
 * @param isText whether a member of this name has the text of its SKILL.md
 * @returns the name of the member that withdraws it; null: none
 */
export function withdrawByText(
  fields: Record<string, unknown>,
  refused: Map<string, string>,
  record: object,
  isText: (name: string) => boolean,
): string | null {
  for (const [name, value] of fields['state'] === 'published' ? Object.entries(record) : []) {
    const text = isText(name) ? textIn(value) : frontMatterIn(name, value)
    const said = typeof text === 'string' ? stateIn(text, isText(name)) : null
    if (said !== null && said.state !== 'published') {
      fields['state'] = said.state
      if (said.reason !== null) {
        refused.set('state', said.reason)
      }
      return name
    }
  }
  return null
}

/** A text, or the lines of front matter that crawlers keep without the lines around them. */
const frontMatterIn = (name: string, value: unknown): unknown =>
  typeof value === 'string' && comparableName(name) === 'frontmatter' && !/^\s*-{3}/.test(value)
    ? `---\n${value.slice(0, maxFrontMatter)}\n---\n`
    : value

/** What the front matter of a text says of the state of its skill; null: nothing. */
function stateIn(text: string, isOwn: boolean): { state: string; reason: string | null } | null {
  // Most texts have none, and to look for it takes longer than to read their records.
  const front = /^[\s\ufeff]*(?:-{3}|\+{3})/.test(text) ? readFrontMatter(text.slice(0, maxFrontMatter)) : null
  if (front === null || 'reason' in front) {
    return isOwn && front?.mayWithdraw ? unclear(front.reason) : null
  }
  if (!isOwn && !['name', 'description'].every((name) => typeof front.members[name] === 'string')) {
    return null
  }
  const members = { ...front.members, owner: 'any', repo: 'any' }
  const { fields, refused } = mapFields('skills', valuesByComparableName<string>(members, importNames.skills))
  const state = String(fields['state'])
  return isRecordState(state) ? { state, reason: null } : isOwn ? unclear(refused.get('state') ?? state) : null
}

function unclear(why: string): { state: string; reason: string } {
  const reason = `the front matter of its text: ${why}`
  return { state: reason, reason }
}
