import { hash } from 'node:crypto'
import type { WholeText } from '../../../shared/ports/skill-texts.js'
import type { Skill } from '../../../shared/records/skill.js'
import { digestOf } from '../../../shared/text/skill-text.js'
import type { Copy } from './lock-entries.js'

/** What of a copy was compared with the catalog. */
export const comparisons = ['digest', 'folder', 'commit'] as const
type Comparison = (typeof comparisons)[number]

/** Bytes of the texts that are compared in other spellings than by their digest: few are longer. */
export const maxComparedBytes = 32_768

/** Why a copy is neither the same nor an earlier one, as far as is known. */
export const openReasons = [
  'nothing_given',
  'nothing_known',
  'folder_hash',
  'other_commit',
  'pinned',
  'newer_than_record',
] as const
export type OpenReason = (typeof openReasons)[number]

/** `isSame` null: not known, for this reason. */
export type CopyResult =
  | { isSame: boolean; compared: Comparison; reason: null }
  | { isSame: null; compared: Comparison | null; reason: OpenReason }

/** Whether the text of a skill is needed to compare a copy with it. */
export const needsText = (
  { digests, folderHashes, commit, ref }: Copy,
  { digest, commit: present }: Pick<Skill, 'digest' | 'commit'>,
): boolean =>
  digest !== null &&
  !(present !== null && [commit, ref].includes(present)) &&
  !digests.includes(digest) &&
  digests.length + folderHashes.length > 0

/**
 * Compares a copy of a skill with what the catalog has. The same commit, digest or folder proves that it is the same; only
 * another digest of the SKILL.md proves that it is not, and not where the copy is pinned, or newer than the record.
 */
export function compareCopy(
  copy: Copy,
  skill: Pick<Skill, 'digest' | 'commit' | 'updatedAt' | 'indexedAt'>,
  kept: WholeText | null,
): CopyResult {
  const { digests, folderHashes, commit, ref, updatedAt } = copy
  if (skill.commit !== null && [commit, ref].includes(skill.commit)) {
    return { isSame: true, compared: 'commit', reason: null }
  }
  // Bytes of which something was removed are not known.
  const original = kept?.digest === skill.digest ? kept.text : null
  const known = [skill.digest, ...(kept === null ? [] : [kept.digest])]
  if (digests.some((each) => known.includes(each) || (original !== null && digestOf(withReturns(original)) === each))) {
    return { isSame: true, compared: 'digest', reason: null }
  }
  if (original !== null && kept?.isSole && folderHashes.some((each) => isFolderOf(each, original))) {
    return { isSame: true, compared: 'folder', reason: null }
  }
  if (digests.length > 0 && skill.digest !== null) {
    const times = [skill.updatedAt, skill.indexedAt].filter((time) => time !== null)
    const isNewer = updatedAt !== null && times.some((time) => time <= updatedAt)
    if (ref !== null && !usualBranches.has(ref)) {
      return notKnown('digest', 'pinned')
    }
    return isNewer ? notKnown('digest', 'newer_than_record') : { isSame: false, compared: 'digest', reason: null }
  }
  if (commit !== null && skill.commit !== null) {
    return notKnown('commit', 'other_commit')
  }
  if (digests.length > 0 || commit !== null) {
    return notKnown(null, 'nothing_known')
  }
  return notKnown(null, folderHashes.length > 0 ? 'folder_hash' : 'nothing_given')
}

const notKnown = (compared: Comparison | null, reason: OpenReason): CopyResult => ({ isSame: null, compared, reason })

/** A copy of one of these follows its repository as the catalog does. */
const usualBranches: ReadonlySet<string> = new Set(['main', 'master', 'HEAD'])

/** The text with the line ends of Windows, which git puts there when it checks out. */
const withReturns = (text: string): string => text.replace(/(?<!\r)\n/g, '\r\n')

/** Whether a hash is that of a folder with nothing but this SKILL.md. */
const isFolderOf = (folderHash: string, text: string): boolean =>
  folderHash.length === 40
    ? gitTree(text) === folderHash
    : [text, withReturns(text)].some((each) => hash('sha256', `SKILL.md${each}`) === folderHash)

/** The object of git for a folder with one file. @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
function gitTree(text: string): string {
  const blob = hash('sha1', objectOf('blob', Buffer.from(text)), 'buffer')
  return hash('sha1', objectOf('tree', Buffer.concat([Buffer.from('100644 SKILL.md\0'), blob])))
}

const objectOf = (kind: string, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])
