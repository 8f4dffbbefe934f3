import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { nodeStart, started } from '../support/service-process.js'
import { testOnSmallDisk } from '../support/small-disk.js'
import { dyingAt } from './support/crash-points.mjs'
import { downloaded } from './support/download.js'
import { downloadAcrossRebuilds, publishLongFile } from './support/download-across-rebuilds.js'
import { expectInvariant } from './support/invariant.js'
import { runLocal } from './support/leases.js'
import { type Environment, inFolder, publishAll, putSkills } from './support/published-catalog.js'

const path = '/api/v1/export?type=skills'

/** A folder whose service writes export files only once. */
const aFolder = (): Environment => ({ ...inFolder(), EXPORT_EVERY_SECONDS: '31536000' })

testOnSmallDisk('37. ENOSPC: old manifest served', async ({ folder, remount }) => {
  const env = aFolder()
  symlinkSync(folder, join(String(env['DATA_DIR']), 'exports'))
  await putSkills(env, 100)
  await publishAll(env)
  const url = await started(nodeStart(env))
  const before = await downloaded(url + path)
  const filesBefore = readdirSync(folder).sort()

  await putSkills(env, 1_200, 1_000)
  const full = await runLocal(env, 'export')

  expect(full).toMatchObject({ status: 2, json: { error: { code: 'exports_not_written' } } })
  expect(readdirSync(folder).sort()).toEqual(filesBefore)
  expect(await downloaded(url + path)).toEqual({ ...before, status: 200, isWhole: true })

  remount('size=64m')
  expect(await runLocal(env, 'export')).toMatchObject({ status: 0 })
  expect(JSON.parse((await downloaded(url + path)).bytes.toString())).toMatchObject({ count: 1_200 })
  await expectInvariant(env)
})

test('38. kill -9 between rename and manifest: old manifest, orphan collected', async () => {
  const env = aFolder()
  const folder = join(String(env['DATA_DIR']), 'exports')
  await putSkills(env, 50)
  await publishAll(env)
  const url = await started(nodeStart(env))
  const before = await downloaded(url + path)
  const filesBefore = readdirSync(folder).sort()

  await putSkills(env, 100)
  expect(await runLocal({ ...env, ...dyingAt('export-files-written') }, 'export')).toMatchObject({ status: 'SIGKILL' })

  expect(readdirSync(folder)).toHaveLength(filesBefore.length + 27)
  expect(manifestNames(folder)).toEqual(filesBefore)
  expect(await downloaded(url + path)).toEqual({ ...before, status: 200, isWhole: true })

  expect(await runLocal(env, 'export')).toMatchObject({ status: 0 })
  expect(readdirSync(folder).sort()).toEqual(manifestNames(folder))
  expect(JSON.parse((await downloaded(url + path)).bytes.toString())).toMatchObject({ count: 100 })
  await expectInvariant(env)
})

test('39. Download across 3 rebuilds + resume: sha256 matches', async () => {
  const env = aFolder()
  await putSkills(env, 50)
  await publishAll(env)
  await publishLongFile(env)

  await downloadAcrossRebuilds(env, await started(nodeStart(env)))
})

/** The files in the manifest, and the manifest itself. */
function manifestNames(folder: string): string[] {
  const { snapshots } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const files = snapshots.flatMap((snapshot: { files: { name: string }[] }) => snapshot.files)
  return ['manifest.json', ...files.map(({ name }: { name: string }) => name)].sort()
}
