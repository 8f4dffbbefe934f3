import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The shell has no window: a page of its own takes a fifth of the browser's processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** The browser of `CHROMIUM`, else the first one on PATH; null: there is none. */
export const chromiumPath = process.env['CHROMIUM'] ?? onPath()

function onPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null
}
