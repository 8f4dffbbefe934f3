import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../shared/runtime/project-root.js'

/** The files that Vite has built for browsers, by their sources in `services/query/web`. */
type Manifest = Record<string, { file: string }>

const folder = join(projectRoot(), 'dist', 'web')

let manifest: Manifest | null = null

/** Read once, at the first page. @throws where `npm run build` was not run */
function readManifest(): Manifest {
  manifest ??= JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
  return manifest
}

/** The path of a source's built file in pages; its name has a hash of the content. */
export function builtPath(source: string): string {
  const built = readManifest()[source]
  if (built === undefined) {
    throw new Error(`${source} is no entry of services/query/web/vite.config.ts`)
  }
  return `/assets/${built.file}`
}

/** Where a built file of this name is on disk; null: there is none. */
export const findBuiltFile = (name: string): string | null =>
  Object.values(readManifest()).some(({ file }) => file === name) ? join(folder, name) : null
