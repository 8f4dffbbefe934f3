import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { testedEnvironment } from './catalog-command.js'
import { temporaryFolder } from './temporary-folder.js'
import { killGroup, type WatchedOutput, watchOutput } from './watch-output.js'

/** A process that a test has started. */
export interface ServiceProcess extends WatchedOutput {
  pid: number
  /** Its URL, read from the output. */
  url(): string
  signal(signal: NodeJS.Signals): void
}

/** The last line of the greeting. */
export const greetingEnd = 'Ctrl-C stops it.'

/** For the environment of a service whose servers do not answer. */
export const awayServers = {
  MONGODB_URL: 'mongodb://someone:mongo-secret@127.0.0.1:1/catalog',
  MEILI_URL: 'http://127.0.0.1:1',
  REDIS_URL: 'redis://:redis-secret@127.0.0.1:1/0',
}

/** Runs an npm script that starts a service: `npm start`, `npm run start:query`. */
export const npmStart = (env: Record<string, string>, script = 'start'): ServiceProcess =>
  run('npm', ['run', '--silent', script], env)

/** Runs one of the two built services of the servers mode. */
export const serviceStart = (service: 'query' | 'indexer', env: Record<string, string>): ServiceProcess =>
  run(process.execPath, [`dist/services/${service}/main.js`], env)

/** Runs the built program of `npm start`, without npm. @param folder of the project; default: this one */
export const nodeStart = (
  env: Record<string, string>,
  nodeOptions: string[] = [],
  folder = '.',
  args: string[] = [],
): ServiceProcess =>
  run(process.execPath, [...nodeOptions, join(folder, 'dist/services/standalone/main.js'), ...args], env)

/** Resolves with the URL once the service answers. */
export async function started(service: ServiceProcess): Promise<string> {
  await service.says(greetingEnd)
  return service.url()
}

/**
 * Ends services with SIGTERM, as an operator does.
 *
 * @throws Error with the last lines of what a service has logged that ends otherwise than with status 0
 */
export async function endServices(...services: ServiceProcess[]): Promise<void> {
  for (const service of services) {
    service.signal('SIGTERM')
  }
  await Promise.all(services.map(hasEndedWell))
}

/** Resolves when a service has ended with status 0. @throws Error with the last lines of what it has logged otherwise */
export async function hasEndedWell({ ended, stderr }: ServiceProcess): Promise<void> {
  const status = await ended
  if (status !== 0) {
    throw new Error(`a service ended with ${status}:\n${stderr().split('\n').slice(-20).join('\n')}`)
  }
}

function run(command: string, args: string[], env: Record<string, string>): ServiceProcess {
  // A process group, so that no child process outlives a failed test.
  const child = spawn(command, args, {
    cwd: projectRoot(),
    env: {
      ...testedEnvironment(),
      NODE_OPTIONS: '',
      HOST: '127.0.0.1',
      PORT: '0',
      EXPORT_CACHE_DIR: temporaryFolder(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  children.push(child)
  const output = watchOutput(child)
  return {
    ...output,
    pid: Number(child.pid),
    url: () => /http:\/\/[\d.]+:\d+/.exec(output.stdout())?.[0] ?? '',
    signal: (signal) => void child.kill(signal),
  }
}

/**
 * What is started once for all tests of a block, none of which ends it; it ends after the last of them.
 *
 * @param start starts services, and what else the tests need
 * @returns gives what was started while the tests run
 */
export function sharedService<T>(start: () => Promise<T>): () => T {
  let shared: T
  let own: ChildProcess[] = []
  beforeAll(async () => {
    shared = await start()
    own = children.splice(0)
  }, 180_000)
  afterAll(() => own.forEach(killGroup))
  return () => shared
}

const children: ChildProcess[] = []

afterEach(() => children.splice(0).forEach(killGroup))
