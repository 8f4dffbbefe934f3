import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('when no server can be installed, the script says so and succeeds', () => {
  const { status, stdout, stderr } = spawnSync('/bin/bash', [join(projectRoot(), '.ci/install-servers')], {
    env: { PATH: temporaryFolder() },
    encoding: 'utf8',
  })

  expect(stdout).toMatch(/^nothing is installed: there is no apt-get/)
  expect(stdout).toContain('redis-server: missing')
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('when the programs are installed and the other servers have URLs, nothing is installed', () => {
  const folder = temporaryFolder()
  for (const program of ['nginx', 'chromium-headless-shell', 'minisign', 'sqlite3']) {
    writeFileSync(join(folder, program), '#!/bin/sh\n', { mode: 0o755 })
  }
  writeFileSync(join(folder, 'mvn'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const { status, stdout } = spawnSync('/bin/bash', [join(projectRoot(), '.ci/install-servers')], {
    env: { PATH: folder, MONGODB_URL: 'mongodb://db.example', REDIS_URL: 'redis://redis.example' },
    encoding: 'utf8',
  })

  expect(stdout).not.toContain('installed')
  expect(status).toBe(0)
})
