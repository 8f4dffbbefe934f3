import { copyFileSync, cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import Database from 'libsql'
import { aSkill } from '../support/factories.js'
import { runCatalog, runCatalogProcess, withStoresOf } from '../support/run-catalog.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A connection looks at its file when it is used, but not more often. */
const notedMs = 100

/** A result of /readyz is kept for a second. */
const readinessKeptMs = 1_100

const settings = { SAMPLE_CATALOG: 'off', TRUSTED_PROXIES: '1', LOG_LEVEL: 'error' }

/** A folder with skills of this owner. */
async function folderOf(owner: string): Promise<string> {
  const folder = temporaryFolder()
  await withStoresOf(folder, ({ catalog }) =>
    catalog.put(
      'skills',
      Array.from({ length: 200 }, (_, n) => aSkill({ owner, repo: `tool-${n}` })),
    ),
  )
  expect((await runCatalog(folder, ['sync'])).status).toBe(0)
  return folder
}

let own: string
let other: string

beforeAll(async () => {
  own = await folderOf('own')
  // A whole file: its catalog's last changes may be in the log only.
  other = backUp(await folderOf('other'))
})

/** The documented way of earlier versions. */
function backUp(folder: string): string {
  const copy = join(temporaryFolder(), 'copy.db')
  const db = new Database(join(folder, 'catalog.db'))
  db.prepare('VACUUM INTO ?').run([copy])
  db.close()
  return copy
}

interface Replacement {
  how: string
  replace: (folder: string) => void
  /** The owner of the skills that a service answers when it is started again. */
  afterwards: string
}

const replacements: Replacement[] = [
  {
    how: 'another catalog takes its place',
    replace: (folder) => {
      copyFileSync(other, join(folder, 'new.db'))
      renameSync(join(folder, 'new.db'), join(folder, 'catalog.db'))
    },
    afterwards: 'other',
  },
  {
    how: 'another catalog is copied over it',
    replace: (folder) => copyFileSync(other, join(folder, 'catalog.db')),
    afterwards: 'other',
  },
  {
    how: 'its backup is copied over it',
    replace: (folder) => copyFileSync(backUp(folder), join(folder, 'catalog.db')),
    afterwards: 'own',
  },
  { how: 'its log is deleted', replace: (folder) => rmSync(join(folder, 'catalog.db-wal')), afterwards: 'own' },
  {
    how: 'its folder is deleted and restored',
    replace: (folder) => {
      const copy = temporaryFolder()
      // Files of the jobs that run meanwhile come and go.
      cpSync(folder, copy, { recursive: true, filter: (path) => !/[/](exports|dataset|locks)$/.test(path) })
      // First out of the way of the jobs, which would write into it while it is being deleted.
      renameSync(folder, `${folder}-deleted`)
      rmSync(`${folder}-deleted`, { recursive: true, maxRetries: 10 })
      cpSync(copy, folder, { recursive: true })
    },
    afterwards: 'own',
  },
]

describe('the file of a running catalog', () => {
  const title = 'is refused when $how, until the service starts again'
  test.each(replacements)(title, async ({ replace, afterwards }) => {
    const folder = temporaryFolder()
    cpSync(own, folder, { recursive: true })
    const env = { ...settings, DATA_DIR: folder }
    const service = nodeStart(env)
    const url = await started(service)
    let client = 0
    const ask = async (path: string) => {
      for (;;) {
        client += 1
        const answer = await fetch(`${url}${path}`, { headers: { 'X-Forwarded-For': `192.0.2.${client % 250}` } })
        const body = await answer.text()
        // Says nothing of the file: a busy machine answers too late.
        if (!body.includes('"code":"overloaded"')) {
          return { path, status: answer.status, body }
        }
        await sleep(1_000 * Number(answer.headers.get('Retry-After')))
      }
    }
    const paths = [
      ...['/api/skills/own/tool-7', '/api/skills?limit=100', '/api/v1/skills/search?q=tool'],
      ...['/api/v1/skills/own/tool-7/related', '/api/v1/skills/suggest?q=tool', '/api/v1/changes'],
    ]
    // Each connection of each process has pages in its memory.
    for (let round = 0; round < 5; round += 1) {
      for (const answer of await Promise.all(paths.map(ask))) {
        expect(answer).toEqual({ ...answer, status: 200 })
      }
    }

    replace(folder)
    await sleep(notedMs)

    for (let round = 0; round < 5; round += 1) {
      for (const answer of await Promise.all(paths.map(ask))) {
        expect(answer).toMatchObject({ status: 503, body: expect.not.stringMatching(/other\/tool/) })
      }
    }
    await sleep(readinessKeptMs)
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('"catalog":"down"') })
    expect((await ask('/api/skills/own/tool-7')).body).toContain('Stop the service and start it again')
    service.signal('SIGTERM')
    await service.ended

    const again = nodeStart(env)
    const answer = await fetch(`${await started(again)}/api/skills/${afterwards}/tool-7`)
    expect(await answer.json()).toMatchObject({ data: { id: `${afterwards}/tool-7` } })
    again.signal('SIGTERM')
    await again.ended
    expect((await runCatalogProcess(folder, ['verify'])).status).not.toBe(2)
    // In a copy: this process may still have the files open that it backed up, and would read what it knows of them.
    const copy = temporaryFolder()
    cpSync(folder, copy, { recursive: true })
    const db = new Database(join(copy, 'catalog.db'))
    expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
    db.close()
  })
})
