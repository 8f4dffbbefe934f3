import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import type { CommandIo } from '../../services/indexer/cli/command-line.js'
import { runCommandLine } from '../../services/indexer/cli/program.js'
import { readIndexerConfig } from '../../services/indexer/config.js'
import { jobs } from '../../services/indexer/jobs.js'
import { endpoints } from '../../services/query/endpoints.js'
import { commands as allCommands } from '../../services/standalone/cli/commands.js'
import { readSharedConfig } from '../../shared/runtime/config.js'
import { readOperationsConfig } from '../../shared/runtime/operations.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { readQueryConfig } from '../../shared/runtime/query-config.js'
import { commandsOf, documents } from './documents.js'

const read = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8')
const commands = [...new Set(documents.flatMap(commandsOf))]

test('every npm script that a document names is there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = commands.flatMap((command) =>
    [...command.matchAll(/\bnpm (?:run (?:-s |--silent )?([\w:]+)|(start|test)\b)/g)].map(([, run, own]) => run ?? own),
  )

  expect(named).toContain('catalog')
  expect(named.filter((name) => !Object.hasOwn(scripts, String(name)))).toEqual([])
})

test('every file that a test command selects is there', () => {
  const files = readdirSync(join(projectRoot(), 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file}`)
    .filter((file) => /\.(?:test|fault)\.ts$/.test(file))
  const patterns = commands
    .flatMap((command) => [...command.matchAll(/npm (?:test|run test:faults) -- ([^#`]+)/g)])
    .flatMap(([, words = '']) => words.trim().split(/\s+/))
    .filter((word) => !word.startsWith('-'))

  expect(patterns).toContain('equality')
  expect(patterns.filter((pattern) => !files.some((file) => new RegExp(pattern).test(file)))).toEqual([])
})

test('every command of the catalog that a document names takes the options that it is given there', async () => {
  const named = commands.flatMap((command) =>
    [...command.matchAll(/(?:^| )catalog (?:-- )?(?!--)([a-z-]+)((?: .*)?)$/g)].map(([, name = '', rest = '']) => {
      const [below = ''] = /^[a-z-]+/.exec(rest.trim()) ?? []
      return {
        words: name === 'jobs' && below !== '' ? [name, below] : [name],
        options: rest.match(/--[a-z-]+/g) ?? [],
      }
    }),
  )
  const wrong: string[] = []
  for (const { words, options } of named) {
    const help = await helpOf(words)
    if (!help.startsWith(`Usage: catalog ${words.join(' ')} `)) {
      wrong.push(`catalog ${words.join(' ')}`)
    }
    wrong.push(
      ...options.filter((option) => !help.includes(` ${option}`)).map((option) => `${words.join(' ')} ${option}`),
    )
  }

  expect(named.length).toBeGreaterThan(20)
  expect(wrong).toEqual([])
})

test('docs/configuration.md lists every setting, and none that is not read', () => {
  const known = new Set<string>()
  for (const mode of ['embedded', 'servers']) {
    const given = { CATALOG_MODE: mode, MONGODB_URL: 'mongodb://h', MEILI_URL: 'http://h', REDIS_URL: 'redis://h' }
    const watched = new Proxy<NodeJS.ProcessEnv>(given, {
      get: (values, name) => {
        known.add(String(name))
        return Reflect.get(values, name)
      },
    })
    for (const readConfig of [readSharedConfig, readQueryConfig, readIndexerConfig, readOperationsConfig]) {
      readConfig(watched)
    }
  }
  const [settings = ''] = read('docs/configuration.md').split('\n## ')
  const listed = [...settings.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[A-Z_]+/g) ?? [],
  )

  expect(listed.sort()).toEqual([...known].sort())
})

test('docs/command-line.md lists every job', () => {
  const [, section = ''] = read('docs/command-line.md').split('\n## Jobs\n')
  const [table = ''] = section.split('\n## ')
  const listed = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)]

  expect(listed.map(([, name]) => name)).toEqual(jobs.servers.map(({ name }) => name))
})

test('the README lists every endpoint of the API', () => {
  const readme = read('README.md')
  const requests = endpoints.map(({ path, aliases = [], methods: [method] = ['GET'] }) =>
    [path, ...aliases].filter((each) => each.startsWith('/api/')).map((each) => `${method} ${each}`),
  )
  const missing = requests.filter((each) => each.length > 0 && !each.some((request) => readme.includes(request)))

  expect(missing).toEqual([])
})

test('a document explains every endpoint of the API', () => {
  const explained = ['api', 'clients', 'exports', 'changes-and-mirror'].map((name) => read(`docs/${name}.md`)).join()
  const missing = endpoints.flatMap(({ path, aliases = [] }) => {
    const paths = [path, ...aliases].filter((each) => each.startsWith('/api/'))
    const isExplained = paths.some((each) =>
      new RegExp(`${each.replaceAll('.', '\\.').replace(/:\w+/g, '[^/\\s`]+')}(?![/\\w])`).test(explained),
    )
    // docs/exports.md names the files of a snapshot by themselves.
    return paths.length === 0 || isExplained || path.startsWith('/api/v1/exports/:snapshot/') ? [] : [path]
  })

  expect(missing).toEqual([])
})

test('docs/scaling.md lists for every path how long a CDN may keep its answers', () => {
  const listed = new Map(
    [...read('docs/scaling.md').matchAll(/^\| (`\/[^|]*) \| (\d+) \| (\d+|–) \|/gm)].flatMap(
      ([, cell = '', fresh, stale]) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']): [string, string] => [path, `${fresh} ${stale}`]),
    ),
  )
  const sent = endpoints.flatMap(({ path, aliases = [], cache }) => {
    const { maxAgeSeconds, staleWhileRevalidateSeconds = '–' } = cache ?? { maxAgeSeconds: 0 }
    // The names of built files have a hash.
    return [path.replace(/^\/assets\/.+-[\w-]{8}\.\w+$/, '/assets/:file'), ...aliases].map((each): [string, string] => [
      each,
      `${maxAgeSeconds} ${staleWhileRevalidateSeconds}`,
    ])
  })

  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(sent))
})

/** The help of a command, which opens nothing. */
async function helpOf(words: string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  await runCommandLine([...words, '--help'], { stdout, stderr, env: {} } as unknown as CommandIo, allCommands)
  return String(stdout.read() ?? '').replace(/\s+/g, ' ')
}
