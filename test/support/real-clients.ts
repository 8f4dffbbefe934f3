import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { temporaryFolder } from './temporary-folder.js'

const folder = join(projectRoot(), 'infra/clients/node_modules')

interface PackageFile {
  version: string
  bin: Record<string, string>
  engines?: { node?: string }
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

/** Defines tests that run a client of others from npm; where it is missing, or needs a newer Node, a skipped test says so. */
export function whenClient(name: string, define: (run: RunClient) => void): void {
  const file = join(folder, name, 'package.json')
  if (!existsSync(file)) {
    test.skip(`the client ${name} is missing: run .ci/install-servers`, () => {})
    return
  }
  const { version, bin, engines } = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  const needed = /^>=(\d+)\.(\d+)/.exec(engines?.node ?? '>=0.0')
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [wantedMajor, wantedMinor] = [Number(needed?.[1]), Number(needed?.[2])]
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    test.skip(`${name} ${version} needs Node ${engines?.node}, this is ${process.versions.node}`, () => {})
    return
  }
  const script = join(folder, name, bin[name] ?? '')
  describe(`${name} ${version}`, () =>
    define(async (args, env = {}, cwd = temporaryFolder()) => {
      const child: ChildProcess = spawn(process.execPath, [script, ...args], {
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
    }))
}
