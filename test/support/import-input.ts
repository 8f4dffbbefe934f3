import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withStoresOf } from './run-catalog.js'
import { temporaryFolder } from './temporary-folder.js'

/** A line of NDJSON with a skill of acme. */
export const line = (repo: string, more: object = {}) => `${JSON.stringify({ owner: 'acme', repo, ...more })}\n`

/** A file of this content in a new folder. */
export function fileOf(name: string, content: string | Buffer): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

/** The ids of the skills in the catalog of this folder. */
export const skillIds = (folder: string) =>
  withStoresOf(folder, ({ catalog }) => catalog.listIds('skills', null, 10_000))
