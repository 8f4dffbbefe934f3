import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { RepositoryName } from '../../../shared/fields/web-address.js'
import { type Checkout, gitFolderOf, readCheckout } from './source.js'

/**
 * The folder that a file is read in, as a part of it: the checkout around it, up to the current folder, else its own folder
 * where its repository is named; null: its path says whose it is.
 */
export const folderAround = async (path: string, repository: RepositoryName | null): Promise<string | null> =>
  (await checkoutAround(path, resolve('.'))) ?? (repository === null ? null : dirname(resolve(path)))

/**
 * The checkout that a folder belongs to: git tracks a file in it. Other folders in a checkout, such as what a crawler has
 * written, are read by their names.
 *
 * @returns null: there is none, the folder is one itself, or it does not say whose it is
 */
export async function checkoutOfPart(folder: string): Promise<Checkout | null> {
  const root = await checkoutAround(folder, null)
  const isPart = root !== null && root !== resolve(folder) && (await isTracked(root, folder))
  return isPart ? readCheckout(root, null) : null
}

/**
 * The folder of the checkout around a file or a folder; null: there is none.
 *
 * @param last the last folder that is looked in; null: any
 */
async function checkoutAround(path: string, last: string | null): Promise<string | null> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const isCheckout = await stat(join(folder, '.git')).then(
      () => true,
      () => false,
    )
    if (isCheckout || folder === last || folder === dirname(folder)) {
      return isCheckout ? folder : null
    }
  }
}

/** The maximum size of an index of git that is read. */
const maxIndexBytes = 1_073_741_824

/**
 * Whether git tracks a file in a folder of a checkout. An index of version 4 has its paths in parts: it says of no folder.
 *
 * @see https://git-scm.com/docs/index-format
 */
async function isTracked(checkout: string, folder: string): Promise<boolean> {
  const path = join((await gitFolderOf(join(checkout, '.git'))) ?? '', 'index')
  const stats = await stat(path).catch(() => null)
  const index = stats?.isFile() && stats.size < maxIndexBytes ? await readFile(path) : Buffer.alloc(0)
  const beginning = `${relative(checkout, folder).split(sep).join('/')}/`
  for (let at = index.indexOf(beginning); at !== -1; at = index.indexOf(beginning, at + 1)) {
    // The flags before a path end with its length.
    const length = Math.min(index.indexOf(0, at) - at, 0xfff)
    if ((index.readUInt16BE(at - 2) & 0xfff) === length) {
      return true
    }
  }
  return false
}

/** Whether a folder is a bare repository, which has git's own files and no others. */
export const isBareRepository = async (folder: string): Promise<boolean> =>
  (await Promise.all(['HEAD', 'objects', 'refs'].map((name) => stat(join(folder, name)).catch(() => null)))).every(
    (stats) => stats !== null,
  )
