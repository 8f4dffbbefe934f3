import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isPublicPath, type ReadContent, textTooLong } from '../../../shared/fields/skill-content.js'
import { maxSkillFiles, maxTextBytes, type SkillFile, type SkillFiles } from '../../../shared/ports/skill-texts.js'
import { digestOf } from '../../../shared/text/skill-text.js'
import { isPrivateFolder, type Source } from './source.js'

/** Digests of longer files are not computed. */
const maxDigestedBytes = 10_000_000

/**
 * Reads the bytes of a SKILL.md.
 *
 * @param lists whether the files in its folder are listed as well
 * @returns `content` is null, and `dropped` says why, where the text cannot be kept
 */
export async function readContent(
  source: Source,
  chunks: AsyncIterable<Buffer>,
  lists: boolean,
): Promise<{ digest: string; content: ReadContent | null; dropped: string[] }> {
  const sha256 = createHash('sha256')
  const kept: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    sha256.update(chunk)
    size += chunk.length
    if (size <= maxTextBytes) {
      kept.push(chunk)
    }
  }
  const digest = `sha256:${sha256.digest('hex')}`
  if (size > maxTextBytes) {
    return { digest, content: null, dropped: [textTooLong] }
  }
  const text = utf8In(Buffer.concat(kept))
  if (text === null) {
    return { digest, content: null, dropped: ['its text is not UTF-8, and is not kept: save it as UTF-8'] }
  }
  const own = { path: basename(source.path ?? 'SKILL.md'), size, digest }
  return {
    digest,
    content: { text, digest, files: lists ? filesWith(own, source) : { files: [own], total: 1 } },
    dropped: [],
  }
}

/** The text of bytes with its byte order mark; null: they are not UTF-8. */
function utf8In(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The files in the folder of a SKILL.md, without those of other skills in it. Links are left out: they may lead anywhere. */
function filesWith(own: SkillFile, { path, folder, skillFolders }: Source): SkillFiles {
  if (path === null || folder === null) {
    return { files: [own], total: 1 }
  }
  const paths: string[] = []
  const walk = (at: string, prefix: string): void => {
    for (const entry of entriesOf(at)) {
      const child = join(at, entry.name)
      if (entry.isDirectory() && !isPrivateFolder(entry.name) && !skillFolders?.has(child)) {
        walk(child, `${prefix}${entry.name}/`)
      } else if (entry.isFile() && child !== path) {
        paths.push(`${prefix}${entry.name}`)
      }
    }
  }
  walk(dirname(path), '')
  const shown = paths
    .filter(isPublicPath)
    .sort()
    .slice(0, maxSkillFiles - 1)
  return { files: [own, ...shown.map((name) => describeFile(dirname(path), name))], total: paths.length + 1 }
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Size and digest are null where the file cannot be read. */
function describeFile(folder: string, path: string): SkillFile {
  try {
    const { size } = lstatSync(join(folder, path))
    return { path, size, digest: size > maxDigestedBytes ? null : digestOf(readFileSync(join(folder, path))) }
  } catch {
    return { path, size: null, digest: null }
  }
}
