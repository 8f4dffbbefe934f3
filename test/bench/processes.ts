import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { endsWithUs } from '../support/children.js'
import type { BareKind } from './bare-server.js'
import { type Memory, memoryOf, processorSeconds, residentWithChildren } from './footprint.js'

/** Variables next to those of this process. */
export type Environment = Record<string, string>

/** A process that runs until it is stopped. */
export interface RunningProcess {
  /** The URL that it has printed; empty when it prints none. */
  url: string
  pid: number | undefined
  memory(): Memory
  /** Resident memory, with that of the processes that it has started. */
  residentBytes(): number
  /** Processor time that it has used so far, in milliseconds. */
  cpuMs(): number
  stop(): Promise<void>
}

/** Runs a built program of the project and returns its output. */
export async function runBuilt(path: string, args: string[], env: Environment): Promise<string> {
  const child = start([join('dist', path), ...args], env)
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (status !== 0) {
    throw new Error(`${path} ${args.join(' ')} ended with ${status}`)
  }
  return output
}

/**
 * Starts a built service of the project, or a TypeScript file of this folder.
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
  const child = start([...loader, path, ...args], env, log)
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url ||= /http:\S+/.exec(line)?.[0] ?? ''
    if (line.includes('Ctrl-C')) {
      child.stdout.resume()
      return {
        url,
        pid: child.pid,
        memory: () => memoryOf(child.pid),
        residentBytes: () => residentWithChildren(Number(child.pid)),
        cpuMs: () => processorSeconds(Number(child.pid)) * 1_000,
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

function start(args: string[], env: Environment, log: 'inherit' | 'ignore' = 'inherit') {
  const child = spawn(process.execPath, args, {
    cwd: projectRoot(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', log],
  })
  // A benchmark that fails must not leave a process running.
  endsWithUs(child)
  return child
}

/** Does something with an empty folder, which is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
