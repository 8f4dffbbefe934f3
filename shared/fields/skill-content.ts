import { maxSkillFiles, maxTextBytes, type SkillFile, type SkillFiles } from '../ports/skill-texts.js'
import { holdsAddress } from '../privacy/personal-addresses.js'
import { cleanLine } from '../text/clean-text.js'
import { digestOf } from '../text/skill-text.js'
import type { FieldValues } from './field-values.js'

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
  const text = given('skillMd').find(({ value }) => typeof value === 'string' && value.trim() !== '')
  const list = given('files').find(({ value }) => Array.isArray(value))
  if (typeof text?.value !== 'string') {
    const reason = 'are kept together with the text of the skill, which the record has not got'
    return { content: null, dropped: list === undefined ? [] : [`${list.name}: ${reason}`] }
  }
  const size = Buffer.byteLength(text.value)
  if (size > maxTextBytes) {
    return { content: null, dropped: [`${text.name}: ${textTooLong}`] }
  }
  const own = { path: 'SKILL.md', size, digest: digestOf(text.value) }
  const others = (Array.isArray(list?.value) ? list.value : []).flatMap((file: unknown) => fileIn(file) ?? [])
  const files = [own, ...others.filter(({ path }) => path.toLowerCase() !== 'skill.md')]
  return {
    content: {
      text: text.value,
      digest: own.digest,
      files: { files: files.slice(0, maxSkillFiles), total: files.length },
    },
    dropped: [],
  }
}

/** A file of a list: its path, or an object with a path and perhaps a size and a digest. */
function fileIn(given: unknown): SkillFile | null {
  const { path: named, name, filename, size, bytes, digest, sha256 } = Object(given) as Record<string, unknown>
  const path = [given, named, filename, name].find((value) => typeof value === 'string')
  if (typeof path !== 'string' || !isPublicPath(path) || path.startsWith('/') || path.split('/').includes('..')) {
    return null
  }
  const count = [size, bytes].find((value) => Number.isSafeInteger(value) && Number(value) >= 0)
  const digits = /^(?:sha256:)?([\da-f]{64})$/i.exec(String(digest ?? sha256 ?? ''))?.[1]
  return {
    path,
    size: typeof count === 'number' ? count : null,
    digest: digits === undefined ? null : `sha256:${digits.toLowerCase()}`,
  }
}
