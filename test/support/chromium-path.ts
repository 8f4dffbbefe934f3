import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The browser of `CHROMIUM`, else the one on PATH; null: there is none. */
export const chromiumPath = process.env['CHROMIUM'] ?? onPath(['chromium', 'chromium-browser', 'google-chrome'])

/**
 * The same browser without a window, where it is on PATH: a page of its own takes a fifth of the processor time. Else
 * `chromiumPath`.
 */
export const headlessPath = process.env['CHROMIUM'] ?? onPath(['chromium-headless-shell']) ?? chromiumPath

function onPath(names: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null
}
