import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { RepositoryName } from '../../../shared/fields/web-address.js'
import { type Checkout, readCheckout } from './source.js'

/**
 * The folder that a file is read in, as a part of it: the checkout around it, up to the current folder, else its own folder
 * where its repository is named; null: its path says whose it is.
 */
export const folderAround = async (path: string, repository: RepositoryName | null): Promise<string | null> =>
  (await checkoutAround(path, resolve('.'))) ?? (repository === null ? null : dirname(resolve(path)))

/** Folders in which a repository keeps plugins, or skills for agents. */
const ofRepository = /^(?:plugins|\.(?:agents?|claude|codex|copilot|cursor|gemini|github|opencode|windsurf))$/i

/**
 * The checkout that a folder is a part of, since it is a skill itself, or has a name for such. Other folders in a checkout,
 * such as an archive, or what a crawler has written, are read by their names.
 *
 * @returns null: there is none, the folder is one itself, or it does not say whose it is
 */
export async function checkoutOfPart(folder: string): Promise<Checkout | null> {
  const path = resolve(folder)
  const isPart = ofRepository.test(basename(path)) || (await readdir(path)).some((name) => /^skill\.md$/i.test(name))
  const root = isPart ? await checkoutAround(path, null) : null
  return root === null || root === path ? null : readCheckout(root, null)
}

/**
 * The folder of the checkout around a file or a folder; null: there is none.
 *
 * @param last the last folder that is looked in; null: the root of the file system
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

/** Whether a folder is a bare repository, which has git's own files and no others. */
export const isBareRepository = async (folder: string): Promise<boolean> =>
  (await Promise.all(['HEAD', 'objects', 'refs'].map((name) => stat(join(folder, name)).catch(() => null)))).every(
    (stats) => stats !== null,
  )
