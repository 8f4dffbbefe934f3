import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/project-root.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('where no server can be had, the check says so and goes on', () => {
  const { status, stdout, stderr } = spawnSync('/bin/bash', [join(projectRoot(), '.ci/install-servers')], {
    env: { PATH: temporaryFolder() },
    encoding: 'utf8',
  })

  expect(stdout).toMatch(/^nothing is installed: there is no apt-get/)
  expect(stdout).toContain('redis-server: missing')
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('where all servers are named by their addresses, nothing is looked for', () => {
  const { status, stdout } = spawnSync('/bin/bash', [join(projectRoot(), '.ci/install-servers')], {
    env: { PATH: temporaryFolder(), MONGODB_URL: 'mongodb://db.example', REDIS_URL: 'redis://redis.example' },
    encoding: 'utf8',
  })

  expect(stdout).not.toContain('installed')
  expect(status).toBe(0)
})
