import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { temporaryFolder } from './temporary-folder.js'

const folder = join(projectRoot(), 'infra/clients')

interface PackageFile {
  version: string
  bin: Record<string, string>
  engines?: { node?: string }
}

/** A client with the command that starts it; or why it cannot run. */
type FoundClient = { name: string; command: [string, ...string[]]; fault?: never } | { fault: string }

/** A client from npm. */
function nodeClient(name: string): FoundClient {
  const file = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(file)) {
    return { fault: `the client ${name} is missing: run .ci/install-servers` }
  }
  const { version, bin, engines } = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  const needed = /^>=(\d+)(?:\.(\d+))?/.exec(engines?.node ?? '>=0')
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [wantedMajor, wantedMinor] = [Number(needed?.[1]), Number(needed?.[2] ?? 0)]
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    return { fault: `${name} ${version} needs Node ${engines?.node}, this is ${process.versions.node}` }
  }
  return { name: `${name} ${version}`, command: [process.execPath, join(dirname(file), bin[name] ?? '')] }
}

/** The versions of what comes from PyPI, by package. */
const fromPyPi = new Map(
  [...readFileSync(join(folder, 'requirements.txt'), 'utf8').matchAll(/^([\w-]+)==(.+)$/gm)].map(
    ([, name = '', version = '']) => [name, version],
  ),
)

/** A client from PyPI. */
function pythonClient(name: string): FoundClient {
  const script = join(folder, 'python/bin', name)
  return existsSync(script)
    ? { name: `${name} ${fromPyPi.get(name)}`, command: [script] }
    : { fault: `the client ${name} is missing: run .ci/install-servers, with a Python of 3.10 or later` }
}

/**
 * Runs the command of a client, with nothing on standard input; resolves with what it has written.
 *
 * @param folder where it runs; absent: in a new one
 */
export type RunClient = (
  args: string[],
  env?: Record<string, string>,
  folder?: string,
) => Promise<{ output: string; folder: string }>

/**
 * Defines tests that run a client of others from npm or PyPI; where it is missing, or needs a newer Node, a skipped test says
 * so.
 */
export function whenClient(name: string, define: (run: RunClient) => void): void {
  const found = fromPyPi.has(name) ? pythonClient(name) : nodeClient(name)
  if (found.fault !== undefined) {
    test.skip(found.fault, () => {})
    return
  }
  const [program, ...first] = found.command
  describe(found.name, () =>
    define(async (args, env = {}, cwd = temporaryFolder()) => {
      const child: ChildProcess = spawn(program, [...first, ...args], {
        cwd,
        // No telemetry, no colours, and a home of its own.
        env: {
          PATH: process.env['PATH'],
          HOME: cwd,
          NO_COLOR: '1',
          CI: '1',
          DISABLE_TELEMETRY: '1',
          DO_NOT_TRACK: '1',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const parts = await Promise.all(
        [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream))),
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: some clients colour their output all the same
      return { output: parts.join('\n').replaceAll(/\u001b\[[\d;]*m/g, ''), folder: cwd }
    }),
  )
}
