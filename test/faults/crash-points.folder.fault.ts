import { cpSync } from 'node:fs'
import { beforeAll, describe, test } from '@jest/globals'
import { temporaryFolder } from '../support/temporary-folder.js'
import { inFolder } from './support/published-catalog.js'
import { crashes, onServersOnly, prepare, showCrash, skillsIn } from './support/show-crash.js'

describe('in one folder', () => {
  const prepared = temporaryFolder()
  beforeAll(() => prepare(inFolder(prepared), skillsIn.folder))

  test.each(crashes.filter(({ point }) => !onServersOnly.includes(point)))('$title', async ({ point, crash }) => {
    const folder = temporaryFolder()
    cpSync(prepared, folder, { recursive: true })
    await showCrash(point, crash, inFolder(folder), skillsIn.folder)
  })
})
