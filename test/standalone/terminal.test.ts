import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { whenProgram } from '../support/programs.js'
import { greetingEnd, nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

whenProgram('script', ['--version'], () => {
  test('on a terminal the log is readable, and the greeting comes last', async () => {
    const terminal = onTerminal('exec node dist/services/standalone/main.js', {
      DATA_DIR: temporaryFolder(),
      PORT: '0',
    })

    await terminal.shows(greetingEnd)
    const atStart = terminal.text()
    await terminal.ctrlC()

    expect(atStart).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: sync-index: job done /m)
    expect(atStart).toContain('reconcile: job done')
    expect(atStart).not.toMatch(/^\{/m)
    expect(atStart.indexOf('Skill Catalog answers')).toBeGreaterThan(atStart.lastIndexOf('INFO'))
    expect(terminal.text()).toMatch(/INFO: closing/)
  })

  test('on a terminal an error cannot move the cursor', async () => {
    const log =
      "import('./dist/shared/runtime/log.js').then(({ createLog }) => createLog('info').warn({ err }, 'failed'))"
    const terminal = onTerminal(`exec node -e "const err = new Error('id \\u001b[2J'); ${log}"`)

    await terminal.shows('failed')
    await terminal.ended

    expect(terminal.text()).toContain('id ?[2J')
  })
})

test('elsewhere the log is JSON lines', async () => {
  const service = nodeStart({ DATA_DIR: temporaryFolder() })
  await started(service)

  const lines = service.stderr().trimEnd().split('\n')

  expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ msg: 'service started' }))
})

interface Terminal {
  /** The output so far, without colours. */
  text(): string
  /** Resolves when the output has this; rejects when the command ends before. */
  shows(text: string): Promise<void>
  /** Resolves when the command has ended. */
  ctrlC(): Promise<void>
  ended: Promise<unknown>
}

/** Runs a shell command on a pseudo-terminal. */
function onTerminal(command: string, env: Record<string, string> = {}): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: projectRoot(),
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  running.push(Number(child.pid))
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += String(chunk)
  })
  const ended = once(child, 'close')
  return {
    text: () => shown,
    shows: async (text) => {
      while (!shown.includes(text)) {
        const [status] = await Promise.race([once(child.stdout, 'data'), ended])
        if (typeof status === 'number' && !shown.includes(text)) {
          throw new Error(`the command ended before showing ${text}:\n${shown}`)
        }
      }
    },
    ctrlC: async () => {
      child.stdin.write('\u0003')
      await ended
    },
    ended,
  }
}

const running: number[] = []

afterEach(() => {
  for (const pid of running.splice(0)) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
})
