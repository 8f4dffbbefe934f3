import { execFile } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { testOfPermissions } from '../support/permissions.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const run = promisify(execFile)

let checkout: string
const dist = (...path: string[]) => join(checkout, 'dist', ...path)
const build = () => run(process.execPath, ['infra/build.mjs'], { cwd: checkout })
const stylesheet = () => {
  const manifest = JSON.parse(readFileSync(dist('web', '.vite', 'manifest.json'), 'utf8'))
  return String(manifest['styles/pages.css'].file)
}
const timesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(join(folder, name)).mtimeMs])

beforeAll(async () => {
  checkout = join(temporaryFolder(), 'checkout')
  mkdirSync(checkout)
  // `dist` as well: these tests run after a build of all.
  for (const name of ['services', 'shared', 'infra', 'package.json', 'package-lock.json', 'tsconfig.json', 'dist']) {
    cpSync(join(projectRoot(), name), join(checkout, name), { recursive: true })
  }
  symlinkSync(join(projectRoot(), 'node_modules'), join(checkout, 'node_modules'))
  await build()
})

describe('npm run build', () => {
  test('writes nothing when no source has changed', async () => {
    const before = timesOf(dist())

    await build()

    expect(timesOf(dist())).toEqual(before)
  })

  test('nothing is built again for a command, and one npm starts all', async () => {
    const before = timesOf(dist())

    const { stdout } = await run('npm', ['run', 'catalog', '--', '--help'], { cwd: checkout })

    expect(stdout).toContain('Usage: ')
    // What npm says of each script that it starts.
    expect(stdout.match(/^> (?!skill-catalog@).*/gm)).toEqual([
      '> node infra/build.mjs',
      '> node --enable-source-maps dist/services/standalone/cli/main.js --help',
    ])
    expect(timesOf(dist())).toEqual(before)
  })

  test('replaces what has changed, two builds at once too, and keeps the files of pages that are open', async () => {
    const [old, entry] = [stylesheet(), dist('services', 'standalone', 'main.js')]
    const entryTime = statSync(entry).ino
    appendFileSync(join(checkout, 'services', 'query', 'web', 'styles', 'pages.css'), '\n.added { color: red }\n')

    await Promise.all([build(), build()])

    expect(stylesheet()).not.toBe(old)
    expect(existsSync(dist('web', stylesheet()))).toBe(true)
    expect(existsSync(dist('web', old))).toBe(true)
    expect(statSync(entry).ino).toBe(entryTime)
    expect(readdirSync(dist()).sort()).toEqual(['.built-from', 'services', 'shared', 'web'])
  })

  test('ends with an error where a source has one, and leaves the build as it was', async () => {
    const path = join(checkout, 'shared', 'state-keys.ts')
    const source = readFileSync(path)
    const before = readFileSync(dist('shared', 'state-keys.js'), 'utf8')
    appendFileSync(path, '\nexport const wrong = \n')

    await expect(build()).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('state-keys.ts') })

    expect(readFileSync(dist('shared', 'state-keys.js'), 'utf8')).toBe(before)
    expect(readdirSync(dist()).sort()).toEqual(['.built-from', 'services', 'shared', 'web'])
    cpSync(join(projectRoot(), 'shared', 'state-keys.ts'), path)
    expect(readFileSync(path).equals(source)).toBe(true)
  })

  testOfPermissions('runs where nothing can be written', async (withPermissions) => {
    const [command = '', ...words] = withPermissions([process.execPath, 'infra/build.mjs'])
    chmodSync(dist(), 0o555)
    try {
      expect(await run(command, words, { cwd: checkout })).toEqual({ stdout: '', stderr: '' })

      appendFileSync(join(checkout, 'shared', 'state-keys.ts'), '\n')
      const { stderr } = await run(command, words, { cwd: checkout })
      expect(stderr).toContain('is older than the sources, and cannot be written')
    } finally {
      chmodSync(dist(), 0o755)
    }
  })
})
