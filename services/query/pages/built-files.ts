import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../shared/runtime/project-root.js'

/** The files that Vite has built for browsers, by their sources in `services/query/web`. */
type Manifest = Record<string, { file: string }>

const folder = join(projectRoot(), 'dist', 'web')

/**
 * The built files, by name: the present ones, and those of earlier builds, for pages that browsers have kept. They are read
 * when this process starts, and never again: a build that replaces them later belongs to another version of the pages.
 *
 * @throws where `npm run build` was not run
 */
function readBuild(): { manifest: Manifest; files: Map<string, Buffer> } {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return { manifest, files: new Map(names.map(({ name }) => [name, readFileSync(join(folder, name))])) }
  } catch (error) {
    throw new Error('The pages are not built: run npm run build, then start again.', { cause: error })
  }
}

const build = readBuild()

/** Every built file, by name. */
export const builtFiles: ReadonlyMap<string, Buffer> = build.files

const entryOf = (source: string): string => {
  const built = build.manifest[source]
  if (built === undefined) {
    throw new Error(`${source} is no entry of services/query/web/vite.config.ts`)
  }
  return built.file
}

/** The path of a source's built file in pages; its name has a hash of the content. */
export const builtPath = (source: string): string => `/assets/${entryOf(source)}`

/** The content of a source's built file. */
export const builtText = (source: string): string => String(builtFiles.get(entryOf(source)))
