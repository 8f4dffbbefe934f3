import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, closeSync, existsSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterTest } from './after-test.js'
import { onPath } from './on-path.js'
import { runProgram } from './programs.js'
import { startMs, stop } from './run-servers.js'
import { testUnless } from './skip.js'
import { temporaryFolder } from './temporary-folder.js'

/** The environment of a process in its container. Paths are those in the container. */
export interface ContainerSettings {
  /** `uid:gid` */
  user: string
  env: Record<string, string>
  workingFolder: string
  /** Programs on PATH that replace those of the image. */
  programs: string[]
  /** Files and folders of this machine, read-only. */
  readOnly: { from: string; to: string }[]
  /** Folders of the image that are not writable. */
  emptyFolders: string[]
  /** Writable folders, empty at first. Each has the mode and the owner (`uid:gid`) of its mount. */
  writable: { to: string; mode: number; owner: string }[]
}

export interface Container {
  /** Starts the process of the container. */
  start(command: string[]): void
  /** Runs a command next to that process. */
  run(command: string[]): ReturnType<typeof runProgram>
  /** Repeats a command until it succeeds. @throws when the process ends before, or on timeout */
  untilHealthy(check: string[]): Promise<void>
  output(): string
  /** The names in a writable folder, sorted. */
  list(path: string): string[]
  /** Sends SIGTERM. Resolves with the exit status, or the signal that ended the process. */
  end(): Promise<number | NodeJS.Signals | null>
}

/**
 * Builds a read-only root of bind mounts in a mount namespace, and runs a command in it without capabilities.
 * Arguments: an empty folder; options, source and target of each mount; `--`; a command.
 */
const enter = `
set -eu
root=$1
shift
mount -t tmpfs -o mode=755 image "$root"
while [ "$1" != -- ]; do
  options=$1 source=$2 target=$root$3
  shift 3
  if [ -L "$source" ]; then
    cp -P "$source" "$target"
    continue
  elif [ -d "$source" ]; then
    mkdir -p "$target"
  else
    mkdir -p "$(dirname "$target")"
    touch "$target"
  fi
  mount --bind "$source" "$target"
  mount -o "remount,bind,$options" "$target"
done
shift
mount -o remount,ro "$root"
exec chroot "$root" "$@"
`

/** Creates an empty container without a process. Its processes end with the test. */
export function makeContainer(settings: ContainerSettings): Container {
  const { user, env, workingFolder } = settings
  const [uid, gid] = ids(user)
  const root = temporaryFolder()
  const folders = new Map(
    [
      ...settings.emptyFolders.map((to) => ({ to, mode: 0o755, owner: '0:0', options: 'ro' })),
      // The options of Docker's tmpfs. Its volumes allow programs to run, but have none.
      ...settings.writable.map((folder) => ({ ...folder, options: 'rw,nosuid,nodev,noexec' })),
    ].map(({ to, mode, owner, options }) => {
      const folder = temporaryFolder()
      chmodSync(folder, mode)
      chownSync(folder, ...ids(owner))
      return [to, { folder, options }]
    }),
  )
  const mounts = [
    ...systemFolders.map((path) => ['ro', path, path]),
    ['rw', '/dev', '/dev'],
    ['rw', '/proc', '/proc'],
    ...settings.programs.map((program) => ['ro', realpathSync(onPath(program) ?? ''), `/usr/local/bin/${program}`]),
    ...[...folders].map(([to, { folder, options }]) => [options, folder, to]),
    ...settings.readOnly.map(({ from, to }) => ['ro', from, to]),
  ].flat()
  const withoutRights = `--reuid=${uid} --regid=${gid} --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs`
  const argv = (command: string[]) => [
    ...['--mount', '--propagation', 'private', 'sh', '-c', enter, 'sh', root, ...mounts, '--'],
    ...['setpriv', ...withoutRights.split(' '), 'env', '-i', `--chdir=${workingFolder}`],
    ...Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...env }).map(([name, value]) => `${name}=${value}`),
    ...command,
  ]

  const outputFile = join(temporaryFolder(), 'output')
  const output = () => readFileSync(outputFile, 'utf8')
  let child: ChildProcess | undefined
  const run = (command: string[]) => runProgram('unshare', argv(command))
  return {
    start: (command) => {
      // A file of the user, who may open /dev/stdout by name: Docker also makes the user the owner of its pipes.
      const file = openSync(outputFile, 'a')
      chownSync(outputFile, uid, gid)
      const started = spawn('unshare', argv(command), { stdio: ['ignore', file, file] })
      closeSync(file)
      afterTest(() => stop({ child: started }))
      child = started
    },
    run,
    untilHealthy: async (check) => {
      for (const deadline = Date.now() + startMs; ; await sleep(100)) {
        const { status, stdout, stderr } = await run(check)
        if (status === 0) {
          return
        }
        if (child === undefined || hasEnded(child) || Date.now() > deadline) {
          throw new Error(`it did not become healthy:\n${stdout}${stderr}\n${output()}`)
        }
      }
    },
    output,
    list: (path) => readdirSync(folders.get(path)?.folder ?? path).sort(),
    end: async () => {
      if (child !== undefined && !hasEnded(child)) {
        child.kill('SIGTERM')
        await once(child, 'close')
      }
      return child?.signalCode ?? child?.exitCode ?? null
    },
  }
}

/** Folders of this machine that every program needs; on most systems the last ones are links to the first. */
const systemFolders = ['/usr/bin', '/usr/lib', '/usr/lib64', '/usr/share', '/bin', '/lib', '/lib64'].filter((path) =>
  existsSync(path),
)

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const ids = (owner: string): [number, number] => {
  const [uid, gid] = owner.split(':').map(Number)
  return [Number(uid), Number(gid)]
}

/** Why containers cannot be created here; null when they can. */
const missingReason = ((): string | null => {
  const probe = 'mount -t tmpfs probe /mnt && setpriv --bounding-set=-all true'
  const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', probe])
  return status === 0 ? null : 'no namespace can be made: run as root on Linux, with unshare and setpriv'
})()

/** A test with a container of these programs: skipped, with the reason, where that is impossible. */
export function testInContainer(name: string, programs: string[], run: () => Promise<void>): void {
  const missing = programs.filter((program) => onPath(program) === null)
  testUnless(missing.length > 0 ? `${missing.join(', ')} missing: put it on PATH` : missingReason, name, run)
}
