import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { killCommands, runCatalogOn, testedEnvironment } from '../support/catalog-command.js'
import { endChildren, endsWithUs } from '../support/children.js'
import type { BareKind } from './bare-server.js'
import { type Memory, memoryOf, processorSeconds } from './footprint.js'

/** Variables next to those of this process, whose servers are not used. */
export type Environment = Record<string, string>

/** A process that runs until it is stopped. */
export interface RunningProcess {
  /** The URL that it has printed; empty when it prints none. */
  url: string
  pid: number | undefined
  memory(): Memory
  /** Processor time that it has used so far, in milliseconds. */
  cpuMs(): number
  stop(): Promise<void>
}

/**
 * Starts a built service of the project, or a TypeScript file of this folder. It ends with this process.
 *
 * @param log whether its standard error is shown, or written to nowhere
 */
export async function startProcess(
  path: string,
  args: string[],
  env: Environment,
  log: 'inherit' | 'ignore' = 'inherit',
): Promise<RunningProcess> {
  const loader = path.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = spawn(process.execPath, [...loader, path, ...args], {
    cwd: projectRoot(),
    env: { ...testedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', log],
  })
  endsWithUs(child)
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url ||= /http:\S+/.exec(line)?.[0] ?? ''
    if (line.includes('Ctrl-C')) {
      child.stdout.resume()
      return {
        url,
        pid: child.pid,
        memory: () => memoryOf(child.pid),
        cpuMs: () => processorSeconds(child.pid) * 1_000,
        stop: async () => {
          if (child.exitCode === null && child.signalCode === null) {
            child.kill('SIGTERM')
            await once(child, 'exit')
          }
        },
      }
    }
  }
  throw new Error(`${path} did not start`)
}

/** Starts one of the smallest servers. @param given what it answers with */
export const startBare = (kind: BareKind, given: string, env: Environment = {}): Promise<RunningProcess> =>
  startProcess('test/bench/bare-server.ts', [kind, given], env)

/** Runs a command of the catalog in its own process. @returns its JSON @throws Error when it fails */
export async function runCommand(env: Environment, args: string[]): Promise<Record<string, unknown>> {
  const run = await runCatalogOn(env, [...args, '--json'])
  if (run.status !== 0) {
    throw new Error(`${args.join(' ')} ended with ${run.status}: ${run.stderr}`)
  }
  return run.json
}

/** Does something with an empty folder. Afterwards ends what was started meanwhile, and removes the folder. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
  const remove = () => {
    killCommands()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', remove)
  try {
    return await work(folder)
  } finally {
    await endChildren()
    remove()
    process.off('exit', remove)
  }
}
