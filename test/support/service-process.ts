import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach } from '@jest/globals'
import { projectRoot } from '../../shared/project-root.js'
import { temporaryFolder } from './temporary-folder.js'

/** A process that a test has started. */
export interface ServiceProcess {
  pid: number
  /** What it has written so far. */
  stdout(): string
  stderr(): string
  /** Resolves when it has written this, to either output; rejects when it ends without. */
  says(text: string): Promise<void>
  /** Where it answers, read from what it says. */
  url(): string
  signal(signal: NodeJS.Signals): void
  /** Resolves with its exit status, or the name of the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** What the service says last when it is there. */
export const greetingEnd = 'Ctrl-C ends it.'

/** Runs one of the scripts that start a service: `npm start`, `npm run start:query`. */
export const npmStart = (env: Record<string, string>, script = 'start'): ServiceProcess =>
  run('npm', ['run', '--silent', script], env)

/** Runs one of the two services of the servers mode as it is built. */
export const serviceStart = (service: 'query' | 'indexer', env: Record<string, string>): ServiceProcess =>
  run(process.execPath, [`dist/services/${service}/main.js`], env)

/** Runs what `npm start` has built, without npm around it. */
export const nodeStart = (env: Record<string, string>, nodeOptions: string[] = []): ServiceProcess =>
  run(process.execPath, [...nodeOptions, 'dist/services/standalone/main.js'], env)

/** Waits until the service is there. Resolves with where it answers. */
export async function started(service: ServiceProcess): Promise<string> {
  await service.says(greetingEnd)
  return service.url()
}

function run(command: string, args: string[], env: Record<string, string>): ServiceProcess {
  // A group of its own, so that nothing it starts outlives a test that fails.
  const child = spawn(command, args, {
    cwd: projectRoot(),
    env: {
      ...process.env,
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
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
    child.emit('said')
  })
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
    child.emit('said')
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  const says = async (text: string) => {
    const said = () => stdout.includes(text) || stderr.includes(text)
    while (!said()) {
      const more = new Promise<'more'>((resolve) => child.once('said', () => resolve('more')))
      const how = await Promise.race([more, ended])
      if (how !== 'more' && !said()) {
        throw new Error(`it ended (${how}) without saying ${JSON.stringify(text)}:\n${stdout}\n${stderr}`)
      }
    }
  }
  return {
    pid: Number(child.pid),
    stdout: () => stdout,
    stderr: () => stderr,
    says,
    url: () => /http:\/\/[\d.]+:\d+/.exec(stdout)?.[0] ?? '',
    signal: (signal) => void child.kill(signal),
    ended,
  }
}

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) {
    try {
      process.kill(-Number(child.pid), 'SIGKILL')
    } catch {
      // It has ended, as it should.
    }
  }
})
