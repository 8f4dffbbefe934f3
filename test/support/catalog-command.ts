import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { watchOutput } from './watch-output.js'

/** The result of a command. */
export interface CatalogRun {
  /** The exit status, or the signal that ended it. */
  status: number | NodeJS.Signals | null
  stdout: string
  stderr: string
  /** The last line of standard output, read as JSON. */
  json: Record<string, unknown>
}

/** The end of a command; the JSON is parsed on demand. */
export const catalogRun = (status: CatalogRun['status'], stdout: string, stderr: string): CatalogRun => ({
  status,
  stdout,
  stderr,
  get json() {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  },
})

export interface CatalogProcess {
  pid: number
  stdin: ChildProcessWithoutNullStreams['stdin']
  signal(signal: NodeJS.Signals): void
  /** Resolves when either output has this; rejects when the command ends before. */
  says(text: string): Promise<void>
  ended: Promise<CatalogRun>
}

export interface CatalogProcessOptions extends SpawnOptions {
  wrap?: (command: string[]) => string[]
}

/** The servers that tests are given. */
const serversOfTests = new Set(['MONGODB_URL', 'MEILI_URL', 'MEILI_KEY', 'REDIS_URL'])

/** The environment of a program under test: it uses the servers that its test names, and no others. */
export const testedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !serversOfTests.has(name)))

/** Starts a built command on the catalog of these variables. */
export function startCatalogOn(
  env: Record<string, string>,
  args: string[],
  { wrap = (words) => words, ...rest }: CatalogProcessOptions = {},
): CatalogProcess {
  const [command = '', ...words] = wrap([process.execPath, 'dist/services/standalone/cli/main.js', ...args])
  const child = spawn(command, words, {
    cwd: projectRoot(),
    env: { ...testedEnvironment(), NODE_OPTIONS: '', ...env },
    ...rest,
    stdio: 'pipe',
  }) as ChildProcessWithoutNullStreams
  running.add(child)
  const { stdout, stderr, says, ended } = watchOutput(child)
  // A command that exits without reading its input is not an error.
  child.stdin.on('error', () => undefined)
  child.once('close', () => running.delete(child))
  return {
    pid: Number(child.pid),
    stdin: child.stdin,
    signal: (signal) => void child.kill(signal),
    says,
    ended: ended.then((status) => catalogRun(status, stdout(), stderr())),
  }
}

/** Runs a command on the catalog of these variables. */
export async function runCatalogOn(env: Record<string, string>, args: string[]): Promise<CatalogRun> {
  const command = startCatalogOn(env, args)
  command.stdin.end()
  return command.ended
}

/** Kills the commands that still run. */
export function killCommands(): void {
  for (const child of running) {
    child.kill('SIGKILL')
  }
}

const running = new Set<ChildProcessWithoutNullStreams>()
