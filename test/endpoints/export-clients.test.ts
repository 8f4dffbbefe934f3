import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { MemoryRateLimiter } from '../../shared/adapters/limits/memory-rate-limiter.js'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { publishText } from '../support/export-drafts.js'
import { onEachExportStore } from '../support/export-stores.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { interruptingOnce } from '../support/relays.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

/** Its content changes with each snapshot. */
const currentPath = '/api/v1/export?type=skills&format=json'
/** Its content stays. */
const snapshotPath = '/api/v1/exports/20260101T000000000Z/skills.json'

/** Larger than the buffers of connections, so that an interruption happens half-way. */
const numbered = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(8, '0')).join('')
const content = numbered(400_000)
const interruptAfterBytes = content.length / 2
/** Later snapshots: a longer one, one of the same length, and one shorter than an interrupted download. */
const laterContents = {
  longer: numbered(440_000).replaceAll('0', 'x'),
  'as long': content.replaceAll('0', 'x'),
  shorter: numbered(40_000).replaceAll('0', 'x'),
}

onEachExportStore((store, open) => {
  whenProgram('curl', ['--version'], () => {
    test(`-C - continues a partial file, at the URL of a snapshot: ${store}`, async () => {
      const { url } = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      const relay = await interruptingOnce(url, interruptAfterBytes)

      const cut = await runProgram('curl', ['-sS', '-o', file, relay.url + snapshotPath])
      expect(cut.status).toBe(18)
      for (const expectedStatus of ['206', '416']) {
        const { status, stdout } = await runProgram('curl', [
          ...['-sS', '-C', '-', '-o', file, '-w', '%{http_code}'],
          url + snapshotPath,
        ])

        expect([status, stdout, hashOf(file)]).toEqual([0, expectedStatus, sha256(content)])
      }
    })

    test(`--retry starts again across a publication, and ends with one whole snapshot: ${store}`, async () => {
      const { url, exports } = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      const relay = await interruptingOnce(url, interruptAfterBytes, () =>
        publishText(exports, 2, laterContents.longer),
      )

      const { status } = await runProgram('curl', [
        ...['-sS', '--retry', '2', '--retry-delay', '0', '--retry-all-errors', '-o', file],
        relay.url + currentPath,
      ])

      expect([status, hashOf(file)]).toEqual([0, sha256(laterContents.longer)])
    })
  })
})

whenProgram('curl', ['--version'], () => {
  test.each(Object.entries(laterContents))(
    '-C - across the publication of a snapshot that is %s: an error, and the partial file is unchanged',
    async (_, later) => {
      const { url, exports } = await serve()
      const file = join(temporaryFolder(), 'skills.json')
      const relay = await interruptingOnce(url, interruptAfterBytes, () => publishText(exports, 2, later))

      const cut = await runProgram('curl', ['-sS', '-o', file, relay.url + currentPath])
      expect(cut.status).toBe(18)
      const resumed = await runProgram('curl', ['-sS', '-C', '-', '-o', file, url + currentPath])

      expect(resumed.status).toBe(33)
      const part = readFileSync(file, 'utf8')
      expect(part.length).toBeGreaterThan(interruptAfterBytes / 4)
      expect(content.startsWith(part)).toBe(true)
    },
  )

  test('--compressed decodes; -OJ keeps the name, and curl itself refuses -C with it', async () => {
    const { url } = await serve()
    const folder = temporaryFolder()
    const named = ['-sS', '-OJ', '--output-dir', folder, url + currentPath]

    const { stdout } = await runProgram('curl', ['--compressed', ...named])

    expect(stdout).toBe('')
    expect(hashOf(join(folder, 'skills-2026-01-01.json'))).toBe(sha256(content))
    expect((await runProgram('curl', ['-C', '-', ...named])).status).not.toBe(0)
    expect(hashOf(join(folder, 'skills-2026-01-01.json'))).toBe(sha256(content))
  })
})

whenProgram('aria2c', ['--version'], () => {
  test.each(Object.entries(laterContents))(
    `aria2c -c across the publication of a snapshot that is %s: an error, or one whole file`,
    async (_, later) => {
      const { url, exports } = await serve()
      const relay = await interruptingOnce(url, interruptAfterBytes, () => publishText(exports, 2, later))
      const folder = temporaryFolder()
      const command = ['-c', '-m', '1', '-x', '4', '-s', '4', '-k', '1M', '-d', folder, '-o', 'skills.json']

      await runProgram('aria2c', [...command, relay.url + currentPath])
      const resumed = await runProgram('aria2c', [...command, url + currentPath])

      const text = readFileSync(join(folder, 'skills.json'), 'utf8')
      expect(resumed.status !== 0 || text === content || text === later).toBe(true)
    },
  )
})

whenProgram('wget', ['--version'], () => {
  test(`-c continues a partial file, at the URL of a snapshot`, async () => {
    const { url } = await serve()
    const file = join(temporaryFolder(), 'skills.json')
    writeFileSync(file, content.slice(0, 1_200_000))

    for (const answer of ['206 Partial Content', '416']) {
      const { status, stderr } = await runProgram('wget', ['-c', '-O', file, url + snapshotPath])

      expect(stderr).toContain(answer)
      expect([status, hashOf(file)]).toEqual([0, sha256(content)])
    }
  })

  test(`continues by itself after an interruption, at the URL of a snapshot`, async () => {
    const { url, exports } = await serve()
    const relay = await interruptingOnce(url, interruptAfterBytes, () => publishText(exports, 2, laterContents.longer))
    const file = join(temporaryFolder(), 'skills.json')

    const { status, stderr } = await runProgram('wget', ['--waitretry=0', '-O', file, relay.url + snapshotPath])

    expect(stderr).toContain('206 Partial Content')
    expect([status, hashOf(file)]).toEqual([0, sha256(content)])
  })

  for (const [length, later] of Object.entries(laterContents)) {
    test(`continues by itself after an interruption, across the publication of one that is ${length}: an error`, async () => {
      const { url, exports } = await serve()
      const relay = await interruptingOnce(url, interruptAfterBytes, () => publishText(exports, 2, later))
      const file = join(temporaryFolder(), 'skills.json')

      const { status, stderr } = await runProgram('wget', ['--waitretry=0', '-O', file, relay.url + currentPath])

      expect(status).toBe(8)
      expect(stderr).toContain('428: Precondition Required')
      expect(content.startsWith(readFileSync(file, 'utf8'))).toBe(true)
    })

    test.each([[[]], [['--content-disposition']]])(
      `-c %j across the publication of one that is ${length}: an error, or one whole file`,
      async (options: string[]) => {
        const { url, exports } = await serve()
        const folder = temporaryFolder()
        const command = ['-c', ...options, '--tries=1', '-P', folder]
        const relay = await interruptingOnce(url, interruptAfterBytes, () => publishText(exports, 2, later))

        const cut = await runProgram('wget', [...command, relay.url + currentPath])
        expect(cut.status).not.toBe(0)
        const resumed = await runProgram('wget', [...command, url + currentPath])

        const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
        expect(files.filter((text) => text !== later && !content.startsWith(text))).toEqual([])
        expect(resumed.status === 8 || files.includes(later)).toBe(true)
      },
    )
  }
})

/** The query service with this export store, that of the embedded mode by default, in which the content is published. */
async function serve(store?: ExportStore): Promise<{ url: string; exports: ExportStore }> {
  const { url, stores } = await startTestApp(store === undefined ? {} : { exports: store })
  await publishText(stores.exports, 1, content)
  return { url, exports: stores.exports }
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

const hashOf = (file: string): string => sha256(readFileSync(file))

describe('a client that retries', () => {
  /** Longer than curl's own delay before its first retry. */
  const waitMs = 2_500

  whenProgram('curl', ['--version'], () => {
    test('--retry waits for the Retry-After of a 429, and is then admitted', async () => {
      const asked: number[] = []
      const limiter = new MemoryRateLimiter()
      const api = await startTestApp({
        replace: () => ({
          rateLimiter: withOverrides(limiter, {
            consume: async (policy) => {
              asked.push(performance.now())
              return { policy, admitted: asked.length > 1, remaining: 0, resetAtMs: Date.now() + waitMs }
            },
          }),
        }),
      })

      expect(await statusAfterRetry(api.url)).toBe('200')
      const [first = 0, second = 0] = asked
      expect(second - first).toBeGreaterThanOrEqual(waitMs)
    })
  })

  /** The response that curl got in the end. */
  async function statusAfterRetry(url: string): Promise<string | undefined> {
    const args = ['-sS', '--retry', '1', '-w', '\n%{http_code}', `${url}/api/skills`]
    return (await runProgram('curl', args)).stdout.split('\n').at(-1)
  }
})
