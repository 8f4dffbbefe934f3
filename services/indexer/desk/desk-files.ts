import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from 'koa'
import { projectRoot } from '../../../shared/runtime/project-root.js'

/** The files of the desk's pages, each at the path of its name. */
const files = ['desk.css', 'desk.js']

/** Sends a file of the pages. Returns whether the path is that of one. */
export async function sendDeskFile(ctx: Context): Promise<boolean> {
  const file = files.find((name) => ctx.path === `/${name}`)
  if (file === undefined) {
    return false
  }
  ctx.type = file.endsWith('.css') ? 'css' : 'js'
  ctx.body = await readFile(join(projectRoot(), 'services', 'indexer', 'desk', 'web', file), 'utf8')
  return true
}
