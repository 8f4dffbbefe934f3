import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { freePort } from '../support/local-server.js'
import { whenProgram } from '../support/programs.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { blocksOf, documents, guides } from './documents.js'
import { runDocument } from './run-commands.js'

/** One service and a dozen commands: some seconds, unless much else runs. */
const slowMachineMs = 300_000

whenProgram('curl', ['--version'], () => {
  test(
    'every unmarked command of README and docs/ answers as its document prints',
    async () => {
      const folder = temporaryFolder()
      const metricsPort = String(await freePort())
      const dataDir = join(folder, 'data')
      const service = nodeStart({
        DATA_DIR: dataDir,
        METRICS_PORT: metricsPort,
        LOG_LEVEL: 'warn',
        // One client runs every page within a minute.
        EXPORT_RATE_LIMIT_PER_MINUTE: '100',
        RATE_LIMIT_PER_MINUTE: '1000',
      })
      const url = await started(service)
      const { port } = new URL(url)
      const addresses = {
        'http://127.0.0.1:3000': url,
        'http://127.0.0.1:9464': `http://127.0.0.1:${metricsPort}`,
      }

      const wrong: Record<string, string[]> = {}
      // The README adds a skill of its own to the sample, whose totals the other pages print.
      for (const document of [...guides.slice(1), ...guides.slice(0, 1)]) {
        const workFolder = join(folder, document.path.replaceAll('/', '-'))
        mkdirSync(workFolder)
        Object.assign(
          wrong,
          await runDocument(document, { folder: workFolder, env: { DATA_DIR: dataDir, PORT: port }, addresses }),
        )
      }

      expect(wrong).toEqual({})
    },
    slowMachineMs,
  )
})

test('a block of commands that is not run says why', () => {
  const marks = documents.flatMap(blocksOf).filter(({ language }) => language === 'sh' || language === '')
  const unknown = marks.filter(({ mark }) => ![null, 'servers', 'manual'].includes(mark))

  expect(unknown.map(({ at }) => at)).toEqual([])
})
