import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The browser of `CHROMIUM`, else the one on PATH; null: there is none. */
export const chromiumPath = process.env['CHROMIUM'] ?? onPath(['chromium', 'chromium-browser', 'google-chrome'])

function onPath(names: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null
}
