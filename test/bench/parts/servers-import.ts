import type { Measure, Part } from '../part.js'
import { writeSeeded } from '../record-sets.js'
import { catalog, insertSkills, type ServersBench, withServersBench } from '../servers-bench.js'
import { measureImports } from '../servers-imports.js'
import { measureRebuild } from '../servers-rebuild.js'

const imported = 20_000

/** With vectors Meilisearch takes a second for 1,000; in a smaller catalog the start of the command is most of the difference. */
const rebuilt = 10_000

export const serversImport: Part = {
  name: 'servers-import',
  summary: `import of ${imported.toLocaleString('en')} seeded skills into MongoDB, and rebuild of an index of ${rebuilt.toLocaleString('en')}`,
  async measure(folder) {
    const set = await writeSeeded(imported, folder)
    return [
      ...(await withServersBench(imported, folder, (bench) => measureImports(bench, set))),
      ...(await withServersBench(rebuilt, folder, measureRebuilds)),
    ]
  },
}

async function measureRebuilds(bench: ServersBench): Promise<Measure[]> {
  await insertSkills(bench)
  await catalog(bench.env, ['sync', '--local'])
  const { rebuildMs, bareScriptMs } = await measureRebuild(bench)
  const rate = (ms: number) => Math.round((rebuilt / ms) * 1_000)
  const detail = `${rate(rebuildMs)} and ${rate(bareScriptMs)} a second`
  return [{ name: 'rebuild', value: bareScriptMs / rebuildMs, unit: '× a bare script', aim: { atLeast: 0.9 }, detail }]
}
