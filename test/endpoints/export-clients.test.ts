import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { publishText } from '../support/export-drafts.js'
import { onEachExportStore } from '../support/export-stores.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp } from '../support/test-app.js'

const path = '/api/v1/export?type=skills&format=json'

/** Longer than what connections buffer, so that a cut is met half-way. */
const content = Array.from({ length: 1_000_000 }, (_, place) => String(place).padStart(8, '0')).join('')
const hash = createHash('sha256').update(content).digest('hex')

onEachExportStore((store, open) => {
  whenProgram('curl', ['--version'], () => {
    test(`-C - goes on with what is there: ${store}`, async () => {
      const url = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      writeFileSync(file, content.slice(0, 3_000_000))

      const { status } = await runProgram('curl', ['-sS', '-C', '-', '-o', file, '-w', '%{http_code}', url + path])

      expect(status).toBe(0)
      expect(hashOf(file)).toBe(hash)
    })

    test(`-C - behind a cut ends with all of it: ${store}`, async () => {
      const url = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')

      const cut = await runProgram('curl', ['-sS', '-o', file, (await cuttingOnce(url)) + path])
      expect(cut.status).toBe(18)
      const { status } = await runProgram('curl', ['-sS', '-C', '-', '-o', file, url + path])

      expect(status).toBe(0)
      expect(hashOf(file)).toBe(hash)
    })

    test(`-C - leaves alone what is whole: ${store}`, async () => {
      const url = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      writeFileSync(file, content)

      const { status } = await runProgram('curl', ['-sS', '-C', '-', '-o', file, url + path])

      expect(status).toBe(0)
      expect(hashOf(file)).toBe(hash)
    })

    test(`--compressed unpacks; -OJ keeps the name: ${store}`, async () => {
      const url = await serve(await open())
      const folder = temporaryFolder()

      const { stdout } = await runProgram('curl', ['-sS', '--compressed', '-OJ', '--output-dir', folder, url + path])

      expect(stdout).toBe('')
      expect(hashOf(join(folder, 'skills-2026-01-01.json'))).toBe(hash)
    })
  })

  whenProgram('wget', ['--version'], () => {
    test(`-c goes on with what is there: ${store}`, async () => {
      const url = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      writeFileSync(file, content.slice(0, 3_000_000))

      const { status, stderr } = await runProgram('wget', ['-c', '-O', file, url + path])

      expect(status).toBe(0)
      expect(stderr).toContain('206 Partial Content')
      expect(hashOf(file)).toBe(hash)
    })

    test(`goes on by itself behind a cut: ${store}`, async () => {
      const url = await cuttingOnce(await serve(await open()))
      const file = join(temporaryFolder(), 'skills.json')

      const { status, stderr } = await runProgram('wget', ['-c', '--waitretry=0', '-O', file, url + path])

      expect(status).toBe(0)
      expect(stderr).toContain('206 Partial Content')
      expect(hashOf(file)).toBe(hash)
    })

    test(`-c leaves alone what is whole: ${store}`, async () => {
      const url = await serve(await open())
      const file = join(temporaryFolder(), 'skills.json')
      writeFileSync(file, content)

      const { status, stderr } = await runProgram('wget', ['-c', '-O', file, url + path])

      expect(status).toBe(0)
      expect(stderr).toContain('416')
      expect(hashOf(file)).toBe(hash)
    })
  })
})

/** The query service over this store, in which the content is published. */
async function serve(exports: ExportStore): Promise<string> {
  await publishText(exports, 1, content)
  return (await startTestApp({ exports })).url
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

const relays: Server[] = []

afterEach(() => {
  for (const relay of relays.splice(0)) {
    relay.close()
  }
})

/** The address of a relay that cuts its first connection half-way through the answer. */
function cuttingOnce(url: string): Promise<string> {
  let connections = 0
  const relay = createServer((client) => {
    connections += 1
    const isFirst = connections === 1
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    let passed = 0
    server.on('data', (chunk: Buffer) => {
      passed += chunk.length
      if (isFirst && passed > content.length / 2) {
        client.end()
        server.destroy()
      } else if (!client.write(chunk)) {
        server.pause()
        client.once('drain', () => server.resume())
      }
    })
    server.on('end', () => client.end())
    client.pipe(server)
    for (const socket of [client, server]) {
      socket.on('error', () => socket.destroy())
    }
  })
  relays.push(relay)
  return new Promise((resolve) =>
    relay.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`)),
  )
}
