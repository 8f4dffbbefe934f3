import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { greetingEnd, nodeStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const quiet = { LOG_LEVEL: 'fatal', SAMPLE_CATALOG: 'off' }

describe('a refused start', () => {
  test('lists every invalid variable at once, after the misspelled ones, which may be what is missing', async () => {
    const wrong = { PORT: 'http', SYNC_EVERY_SECONDS: '0', CATALOG_MODE: 'cloud', MONGODB_URI: 'mongodb://host' }
    const service = nodeStart({ ...quiet, ...wrong })

    expect(await service.ended).toBe(2)
    expect(service.stderr()).toMatch(
      /^The environment variable MONGODB_URI has no effect\. Did you mean MONGODB_URL\?\nThe configuration is invalid:\n {2}CATALOG_MODE: .*\n {2}PORT: .*\n {2}SYNC_EVERY_SECONDS: .*\n$/,
    )
    expect(service.stdout()).toBe('')
  })

  test('names arguments, which have no effect', async () => {
    const env = { ...quiet, DATA_DIR: temporaryFolder() }

    const service = nodeStart(env, [], '.', ['--port', '3001'])

    expect(await service.ended).toBe(2)
    expect(service.stderr()).toMatch(
      /^A service takes no arguments, and was given: --port 3001\. Set environment variables instead, .*\n$/,
    )
    expect(readdirSync(env.DATA_DIR)).toEqual([])
  })

  test('names a port in use, and releases the folder; the next service on it is named to a second one, and continues', async () => {
    const env = { ...quiet, DATA_DIR: temporaryFolder() }
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve(Object(taken.address()).port))
    })

    const service = nodeStart({ ...env, PORT: String(port) })

    expect(await service.ended).toBe(2)
    expect(service.stderr()).toBe(`Port ${port} is in use. Stop the program that listens there, or set PORT.\n`)
    expect(readdirSync(env.DATA_DIR)).toEqual([])
    taken.close()

    const first = nodeStart({ ...env, PORT: String(port) })
    await first.says(greetingEnd)

    for (const ports of [{ PORT: String(port) }, { PORT: '0', METRICS_PORT: String(port) }]) {
      const second = nodeStart({ ...env, ...ports })

      expect(await second.ended).toBe(2)
      expect(second.stderr()).toContain(`(process ${first.pid}, ${first.url()})`)
      expect(second.stderr().split('\n')).toHaveLength(2)
    }
    expect((await fetch(`${first.url()}/api/skills?limit=1`)).status).toBe(200)
  })
})
