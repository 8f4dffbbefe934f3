import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readDisk } from '../../services/indexer/status/disk.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('the files of a folder are counted, and of those in it', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'exports', 'old'), { recursive: true })
  writeFileSync(join(folder, 'catalog.db'), 'x'.repeat(1_000))
  writeFileSync(join(folder, 'exports', 'old', 'skills.json'), 'x'.repeat(20))

  expect(await readDisk(folder)).toEqual({ usedBytes: 1_020, freeBytes: expect.any(Number) })
})

test('a folder that is deleted meanwhile counts as nothing', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'catalog.db'), 'x'.repeat(1_000))
  let isRead = false
  const working = (async () => {
    while (!isRead) {
      await mkdir(join(folder, 'work', 'deep', 'down'), { recursive: true })
      await writeFile(join(folder, 'work', 'deep', 'down', 'part'), 'x')
      await rm(join(folder, 'work'), { recursive: true, force: true })
    }
  })()

  for (let read = 0; read < 500; read += 1) {
    expect([1_000, 1_001]).toContain((await readDisk(folder)).usedBytes)
  }
  isRead = true
  await working
})

test('a folder that is not there is an error', async () => {
  await expect(readDisk(join(temporaryFolder(), 'missing'))).rejects.toMatchObject({ code: 'ENOENT' })
})
