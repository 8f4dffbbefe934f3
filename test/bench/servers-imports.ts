import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Measure } from './part.js'
import type { RecordSet } from './record-sets.js'
import { catalog, type ServersBench } from './servers-bench.js'
import { median } from './statistics.js'

const rounds = 3

/** Documents that the bare script sends at a time. */
const bareBatch = 1_000

const aimPerSecond = 5_000

/** How fast the built command imports a set into an empty collection, next to a bare script that inserts the lines. */
export async function measureImports({ env, skills }: ServersBench, set: RecordSet): Promise<Measure[]> {
  const ours: number[] = []
  const again: number[] = []
  const bare: number[] = []
  const run = async () =>
    Number((await catalog(env, ['import', set.path, '--type', 'skills', '--no-update']))['importMs'])
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareImport(skills, set))
    await skills.deleteMany({})
    ours.push(await run())
    again.push(await run())
    await skills.deleteMany({})
  }
  const rate = (times: number[]) => (set.records / median(times)) * 1_000
  const [importRate, againRate, bareRate] = [rate(ours), rate(again), rate(bare)]
  const ofBare = `${Math.round((importRate / bareRate) * 100)} % of a bare script that inserts the lines: ${Math.round(bareRate)} a second`
  return [
    {
      name: 'import of new records',
      value: importRate,
      unit: 'a second',
      aim: { atLeast: aimPerSecond },
      detail: ofBare,
    },
    {
      name: 'import of the same again',
      value: againRate,
      unit: 'a second',
      aim: null,
      detail: '',
    },
  ]
}

/** Parses the lines and inserts them with the official driver, a batch after the other. */
async function bareImport(skills: ServersBench['skills'], { path }: RecordSet): Promise<number> {
  const startedAt = performance.now()
  let batch: Record<string, unknown>[] = []
  const insert = async () => {
    await skills.insertMany(batch)
    batch = []
  }
  for await (const line of createInterface(createReadStream(path))) {
    batch.push(JSON.parse(line))
    if (batch.length === bareBatch) {
      await insert()
    }
  }
  if (batch.length > 0) {
    await insert()
  }
  return performance.now() - startedAt
}
