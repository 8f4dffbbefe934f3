import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withStoresOf } from './run-catalog.js'
import { temporaryFolder } from './temporary-folder.js'

/** A line of NDJSON that tells of a skill of acme. */
export const line = (repo: string, more: object = {}) => `${JSON.stringify({ owner: 'acme', repo, ...more })}\n`

/** A file of this content in a folder of its own. */
export function fileOf(name: string, content: string | Buffer): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

/** The ids of the skills that the catalog in this folder holds. */
export const skillIds = (folder: string) =>
  withStoresOf(folder, ({ catalog }) => catalog.listIds('skills', null, 10_000))
