import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs that is on PATH; null: none is. */
export function onPath(...names: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The browser of `CHROMIUM`, else the first one on PATH; null: there is none. The shell has no window: a page of its own
 * takes a fifth of the browser's processor time.
 */
export const chromiumPath =
  process.env['CHROMIUM'] ?? onPath('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')
