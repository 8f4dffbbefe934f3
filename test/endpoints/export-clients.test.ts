import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { cuttingOnce } from '../support/cutting-relay.js'
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

      const cut = await runProgram('curl', ['-sS', '-o', file, (await cuttingOnce(url, content.length / 2)).url + path])
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
      const { url } = await cuttingOnce(await serve(await open()), content.length / 2)
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
