import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's root folder, run from the sources or the build: for the files shipped with the code. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    folder = dirname(folder)
  }
  return folder
}

/** The version of this project, which the API, the MCP server and the command line report. */
export function projectVersion(): string {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }
  return version
}
