import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { startHttpRelay } from '../support/relays.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sharedTestApp, startTestApp, type TestApp } from '../support/test-app.js'
import { blocksOf, guides } from './documents.js'

const address = 'http://127.0.0.1:3000'

/** The lines of a block that download, with the variables that they need. */
const downloads = (text: string): string =>
  text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => /^(?:curl|wget|[a-z]+=)/.test(line))
    .join('\n')

const blocks = guides
  .flatMap(blocksOf)
  .filter(
    ({ language, text }) =>
      language === 'sh' && /^(?:curl|wget)\b.*(?: -[a-zA-Z]*[oO]|[^>]>[^>])/m.test(downloads(text)),
  )
const [resume] = blocks.filter(({ text }) => text.includes(' -C - '))

const refusal = Buffer.from('{"code":"too_many_requests","status":429}')

const skills = Array.from({ length: 300 }, (_, at) => aSkill({ stars: at, description: 'words '.repeat(100) }))

/** Publishes everything that the documents download. */
async function publishAll(api: TestApp): Promise<void> {
  await api.publishExports()
  await api.publishDataset()
}

/** Every file below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

whenProgram('curl', ['--version'], () => {
  const shared = sharedTestApp({ skills }, publishAll)

  test.each(blocks.map(({ at, text }) => [at, text]))('%s saves no error as a file', async (_, text) => {
    const relay = await startHttpRelay(shared().url)
    relay.script = async () => ({ status: 429, headers: { 'content-type': 'application/problem+json' }, body: refusal })
    const folder = temporaryFolder()

    await runProgram('bash', ['-c', `cd '${folder}'\n${downloads(text).replaceAll(address, relay.url)}`])

    expect(filesIn(folder).filter((path) => readFileSync(path).includes('too_many_requests'))).toEqual([])
  })

  /** Runs the documented commands to continue a download in a folder: the first line names the file, once. */
  async function aDownload() {
    const api = await startTestApp({ skills })
    await publishAll(api)
    const relay = await startHttpRelay(api.url)
    const folder = temporaryFolder()
    const [name = '', fetchFile = ''] = downloads(resume?.text ?? '')
      .replaceAll(address, relay.url)
      .split('\n')
    const { stdout } = await runProgram('bash', ['-c', `${name}\nprintf %s "$file"`])
    const path = join(folder, stdout)
    const run = () => runProgram('bash', ['-c', `cd '${folder}'\nfile='${stdout}'\n${fetchFile}`])
    const whole = await fetch(`${api.url}${stdout}`, { headers: { 'accept-encoding': 'identity' } })
    const digest = String(whole.headers.get('repr-digest'))
    const digestNow = () => `sha-256=:${createHash('sha256').update(readFileSync(path)).digest('base64')}:`
    const publish = async (stars: number, daysAhead = 0) => {
      await api.stores.catalog.put('skills', [aSkill({ stars })])
      await api.publishExports(null, daysAhead)
    }
    /** The next answer is interrupted after some bytes; later ones are whole. */
    const cutOnce = () => {
      relay.script = async (_request, forward) => {
        relay.script = (_next, forwardNext) => forwardNext()
        return { ...(await forward()), cut: { afterBytes: 30_000, when: () => sleep(300) } }
      }
    }
    const refuseOnce = () => {
      relay.script = async () => {
        relay.script = (_next, forwardNext) => forwardNext()
        return { status: 429, headers: { 'retry-after': '1' }, body: refusal }
      }
    }
    return { run, path, digest, digestNow, publish, cutOnce, refuseOnce }
  }

  test('the documented way to continue a download ends with the digest of its file, over refusals, breaks and publications', async () => {
    const { run, path, digest, digestNow, publish, cutOnce, refuseOnce } = await aDownload()

    refuseOnce()
    expect((await run()).status).not.toBe(0)
    expect(existsSync(path) ? statSync(path).size : 0).toBe(0)
    cutOnce()
    expect((await run()).status).not.toBe(0)
    const size = statSync(path).size
    expect(size).toBeGreaterThan(0)
    refuseOnce()
    expect((await run()).status).not.toBe(0)
    expect(statSync(path).size).toBe(size)
    await publish(1_000)
    expect((await run()).status).toBe(0)
    expect(digestNow()).toBe(digest)
    // Nothing is left to download: curl's versions differ in the status.
    await run()
    expect(digestNow()).toBe(digest)
  })

  test('when the snapshot is gone, the part stays as it is', async () => {
    const { run, path, publish, cutOnce } = await aDownload()
    cutOnce()
    await run()
    const part = readFileSync(path)
    for (const day of [1, 2, 3]) {
      await publish(day, day)
    }

    expect((await run()).status).not.toBe(0)
    expect(readFileSync(path).equals(part)).toBe(true)
  })
})
