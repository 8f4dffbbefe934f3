import { expect, test } from '@jest/globals'
import { whenProgram } from '../support/programs.js'
import { greetingEnd } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { onTerminal } from '../support/terminal.js'

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
    const terminal = onTerminal(`exec node -e "const err = new Error('id \\u001b[2J\\u202e\\u200b.'); ${log}"`)

    await terminal.shows('failed')
    await terminal.ended

    expect(terminal.text()).toContain('id ?[2J.')
  })
})
