import { cpSync } from 'node:fs'
import { beforeAll, describe, test } from '@jest/globals'
import { temporaryFolder } from '../support/temporary-folder.js'
import { crashes, onServersOnly, prepare, showCrash, skillsIn } from './support/show-crash.js'

describe('in one folder', () => {
  const inFolder = (dataDir: string) => ({ DATA_DIR: dataDir, CATALOG_MODE: 'embedded', SAMPLE_CATALOG: 'off' })
  const prepared = temporaryFolder()
  beforeAll(() => prepare(inFolder(prepared), skillsIn.folder))

  test.each(crashes.filter(({ point }) => !onServersOnly.includes(point)))('$title', async ({ point, crash }) => {
    const folder = temporaryFolder()
    cpSync(prepared, folder, { recursive: true })
    await showCrash(point, crash, inFolder(folder), skillsIn.folder)
  })
})
