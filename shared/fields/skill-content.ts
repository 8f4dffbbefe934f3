import { maxSkillFiles, maxTextBytes, type SkillFile, type SkillFiles } from '../ports/skill-texts.js'
import { holdsAddress } from '../privacy/personal-addresses.js'
import { memberOf } from '../records/field-names.js'
import { cleanLine, inText } from '../text/clean-text.js'
import { digestOf } from '../text/skill-text.js'
import { countIn } from '../text/values-in-text.js'
import { brief } from './field-reader.js'
import type { FieldValues, GivenValue } from './field-values.js'

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
  const text = given('skillMd').find(isText)
  const list = given('files').find(({ value }) => Array.isArray(value))
  const dropped = [
    ...describe(text === undefined ? given('skillMd') : [], 'must be text'),
    ...describe(list === undefined ? given('files') : [], 'must be a list of files'),
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
  const listed: unknown[] = Array.isArray(list?.value) ? list.value : []
  const others = listed.map(fileIn)
  const [odd, ...more] = listed.filter((_file, at) => others[at]?.isWhole !== true)
  if (list !== undefined && odd !== undefined) {
    dropped.push(`${list.name}: ${1 + more.length} of the list: ${fileRule}, not ${brief(odd)}`)
  }
  const files = [own, ...others.flatMap(({ file }) => (file === null || isSkillMd(file) ? [] : [file]))]
  return {
    content: {
      text: text.value,
      digest: own.digest,
      files: { files: files.slice(0, maxSkillFiles), total: files.length },
    },
    dropped,
  }
}

const fileRule =
  'must have a path in the folder of the skill, and perhaps a size in bytes and the 64 hexadecimal digits of its SHA-256'

const describe = (values: GivenValue[], rule: string): string[] =>
  values.map(({ name, value }) => `${name}: ${rule}, not ${brief(value)}`)

const isSkillMd = ({ path }: SkillFile): boolean => path.toLowerCase() === 'skill.md'

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
  const count = typeof givenSize === 'string' ? countIn(givenSize) : givenSize
  const read = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
  const givenDigest = memberOf(file, ['digest', 'sha256']) ?? null
  const digits = /^(?:sha256:)?([\da-f]{64})$/i.exec(inText(givenDigest))?.[1]
  return {
    file: { path, size: read, digest: digits === undefined ? null : `sha256:${digits.toLowerCase()}` },
    isWhole: (givenSize === null || read !== null) && (givenDigest === null || digits !== undefined),
  }
}
