/**
 * Random writes and random faults on a catalog, while readers compare every response with the history of the writes:
 *
 *   npm run soak -- --minutes 10 --seed 7 --mode servers
 *
 * The same seed plans the same writes and faults. The exit status is 1 after a violation; the folder with the logs of the
 * services is kept then.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatCount } from '../../shared/text/format-numbers.js'
import type { Mode } from './plan-faults.js'
import { Rounds } from './rounds.js'
import { startOnServers } from './servers-catalog.js'
import { type SoakCatalog, startEmbedded } from './soak-catalog.js'
import { SoakLog } from './soak-log.js'

const starts: Record<Mode, (folder: string, log: SoakLog) => Promise<SoakCatalog>> = {
  embedded: startEmbedded,
  servers: startOnServers,
}

const isMode = (text: string): text is Mode => Object.hasOwn(starts, text)

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    mode: { type: 'string', default: 'embedded' },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const { mode } = values
if (!(minutes > 0) || !Number.isSafeInteger(seed) || !isMode(mode)) {
  process.stderr.write('--minutes takes a number above 0, --seed a whole number, --mode embedded or servers.\n')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1))
}
const folder = mkdtempSync(join(tmpdir(), 'skill-catalog-soak-'))
const log = new SoakLog()
const name = `soak --mode ${mode} --seed ${seed}`
log.print(`${name}, ${minutes} minutes`)
try {
  const catalog = await starts[mode](folder, log)
  try {
    const rounds = new Rounds(catalog, { seed, mode, log })
    await rounds.begin()
    do {
      await rounds.round()
    } while (log.minutes() < minutes)
    await rounds.end()
    log.print(rounds.summary())
  } finally {
    await catalog.close()
  }
} catch (error) {
  log.violation('end', error instanceof Error ? (error.stack ?? error.message) : String(error))
}
if (log.violations === 0) {
  log.print(`passed: ${name}`)
  rmSync(folder, { recursive: true, force: true })
} else {
  log.print(`FAILED: ${formatCount(log.violations, 'violations')}, ${name}; the logs of the services are in ${folder}`)
}
process.exit(log.violations === 0 ? 0 : 1)
