import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { inspectFolder } from '../../../../shared/adapters/open.js'
import { AppError } from '../../../../shared/runtime/errors.js'
import { ignoreMissing, systemErrorCode } from '../../../../shared/runtime/system-error.js'
import { diskFact } from '../../status/describe.js'
import { readDisk } from '../../status/read-status.js'
import { type Check, checkFact, finding, fine, type PlaceChecks } from './check.js'

/** Checks a data folder: rights, free disk, and format. */
export async function checkFolder(dataDir: string): Promise<PlaceChecks> {
  const rights = await checkRights(dataDir)
  if (rights.state !== 'fine') {
    return { checks: [rights], catalog: 'unreadable' }
  }
  if (!(await stat(dataDir).catch(() => null))) {
    return { checks: [rights], catalog: 'absent' }
  }
  const { check, catalog } = await checkFormat(dataDir)
  return { checks: [rights, checkFact(diskFact(await readDisk(dataDir))), check], catalog }
}

/** Checks that this user can read and write the folder and its files, or create it. */
async function checkRights(dataDir: string): Promise<Check> {
  const name = 'data folder'
  const folder = resolve(dataDir)
  try {
    const found = await stat(folder)
    if (!found.isDirectory()) {
      return finding(name, `${folder} is a file`, 'Set DATA_DIR to a folder, or move the file away.')
    }
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      // A running service deletes files.
      await access(join(folder, entry.name), constants.R_OK | constants.W_OK).catch(ignoreMissing)
    }
    return fine(name, `${folder} can be read and written`)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') {
      return checkCreation(folder)
    }
    const path = String(Object(error).path ?? folder)
    return finding(
      name,
      `${path} cannot be read and written by this user (${code ?? error})`,
      `Give the user of the service read and write access to ${folder} and all in it, or set DATA_DIR to another folder.`,
    )
  }
}

/** Checks that a folder that does not exist can be created. */
async function checkCreation(folder: string): Promise<Check> {
  let above = dirname(folder)
  while ((await stat(above).catch(() => null)) === null) {
    above = dirname(above)
  }
  try {
    await access(above, constants.W_OK | constants.X_OK)
    return fine('data folder', `${folder} does not exist yet: the first start creates it`)
  } catch {
    return finding(
      'data folder',
      `${folder} does not exist, and cannot be created in ${above}`,
      `Give the user of the service write access to ${above}, or set DATA_DIR to another folder.`,
    )
  }
}

async function checkFormat(dataDir: string): Promise<{ check: Check; catalog: PlaceChecks['catalog'] }> {
  const name = 'format'
  try {
    const found = await inspectFolder(dataDir)
    if (found === null) {
      return { check: fine(name, 'there is no catalog in the folder yet'), catalog: 'absent' }
    }
    const { format, present } = found
    if (format > present) {
      const detail = `a newer version has written the catalog (format ${format}, this one knows ${present})`
      return {
        check: finding(name, detail, 'Update the program, or set DATA_DIR to another folder.'),
        catalog: 'unreadable',
      }
    }
    const detail = format < present ? `${format}, which the next start upgrades to ${present}` : String(format)
    return { check: fine(name, detail), catalog: format === present ? 'readable' : 'unreadable' }
  } catch (error) {
    if (error instanceof AppError) {
      const remedy =
        error.code === 'catalog_lost'
          ? 'Do so before the service starts again: a new catalog would be served and mirrored in place of the old one.'
          : 'See docs/operating-embedded.md, Faults: restore a backup, or import again into a new folder.'
      return { check: finding(name, error.message, remedy), catalog: 'unreadable' }
    }
    throw error
  }
}
