import { mkdtempSync, rmSync } from 'node:fs'
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
