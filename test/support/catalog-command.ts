import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'
import { projectRoot } from '../../shared/project-root.js'

/** How a command ended, and what it said. */
export interface CatalogRun {
  /** The exit status, or the signal that ended it. */
  status: number | NodeJS.Signals | null
  stdout: string
  stderr: string
  /** The last line of standard output, read as JSON. */
  json: Record<string, unknown>
}

export interface CatalogProcess {
  pid: number
  stdin: ChildProcessWithoutNullStreams['stdin']
  signal(signal: NodeJS.Signals): void
  ended: Promise<CatalogRun>
}

export interface CatalogProcessOptions extends SpawnOptions {
  wrap?: (command: string[]) => string[]
}

/** Starts a command as it is built, on the catalog that these variables name. */
export function startCatalogOn(
  env: Record<string, string>,
  args: string[],
  { wrap = (words) => words, ...rest }: CatalogProcessOptions = {},
): CatalogProcess {
  const [command = '', ...words] = wrap([process.execPath, 'dist/services/indexer/cli/main.js', ...args])
  const child = spawn(command, words, {
    cwd: projectRoot(),
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    ...rest,
    stdio: 'pipe',
  }) as ChildProcessWithoutNullStreams
  running.add(child)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  // A command that ends without reading what it is sent is no fault of the test.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<CatalogRun>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({
        status: signal ?? code,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
        },
      })
    })
  })
  return { pid: Number(child.pid), stdin: child.stdin, signal: (signal) => void child.kill(signal), ended }
}

/** Runs a command to its end, on the catalog that these variables name. */
export async function runCatalogOn(env: Record<string, string>, args: string[]): Promise<CatalogRun> {
  const command = startCatalogOn(env, args)
  command.stdin.end()
  return command.ended
}

/** Ends at once what still runs. */
export function killCommands(): void {
  for (const child of running) {
    child.kill('SIGKILL')
  }
}

const running = new Set<ChildProcessWithoutNullStreams>()
