import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

/** A new empty folder; it is deleted when the test file has ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-'))
  made.push(folder)
  return folder
}

const made: string[] = []

afterAll(() => {
  for (const folder of made) {
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * Copies a data folder that the first test of the run has made: to fill one takes seconds.
 *
 * @param name says which one
 * @param make fills an empty folder
 * @param folder the empty or missing one to copy to
 */
export async function copyPrepared(
  name: string,
  make: (folder: string) => Promise<void>,
  folder: string,
): Promise<void> {
  const prepared = join(tmpdir(), `prepared-${name}`)
  if (!existsSync(prepared)) {
    const made = mkdtempSync(join(tmpdir(), 'preparing-'))
    await make(made)
    try {
      renameSync(made, prepared)
    } catch {
      // Another process has made it in the meantime.
      rmSync(made, { recursive: true })
    }
  }
  cpSync(prepared, folder, { recursive: true })
}
