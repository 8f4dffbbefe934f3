import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyState, type Mirror, noCounts } from '../../services/indexer/mirror/mirror.js'
import { SourceCatalog, type SourceOptions } from '../../services/indexer/mirror/source-catalog.js'
import type { Organization, Prompt } from '../../shared/records/records.js'
import type { Skill, StoredSkill } from '../../shared/records/skill.js'
import type { CatalogProcess, CatalogRun } from './catalog-command.js'
import { openJobBench } from './job-bench.js'
import { runCatalog, startCatalog, withStoresOf } from './run-catalog.js'
import { temporaryFolder } from './temporary-folder.js'
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js'

/** A catalog to copy. */
export const startSource = (
  skills: StoredSkill[],
  more: Pick<TestAppOptions, 'prompts' | 'organizations'> = {},
): Promise<TestApp> => startTestApp({ skills, ...more })

/** Runs `mirror`. */
export const mirror = (url: string, folder: string, ...options: string[]): Promise<CatalogRun> =>
  runCatalog(temporaryFolder(), ['mirror', url, folder, '--json', ...options])

/** Starts `mirror --follow`, which asks for changes every second. */
export const followMirror = (url: string, folder: string): CatalogProcess =>
  startCatalog(temporaryFolder(), ['mirror', url, folder, '--follow', '--every', '1', '--json'])

const ignore = () => undefined

/** What the command makes a copy with, into a new catalog that is closed when the test ends. */
export async function openMirror(url: string, options: Partial<SourceOptions> = {}): Promise<Mirror> {
  const { catalog, dataDir } = await openJobBench()
  return {
    source: new SourceCatalog(url, { signal: new AbortController().signal, report: ignore, ...options }),
    catalog,
    folder: dataDir,
    publicKey: null,
    followsChanges: true,
    state: emptyState(url),
    counts: noCounts(),
    display: { update: ignore, report: ignore },
  }
}

/** Sizes of the incomplete downloads in a folder. */
export const partSizes = (folder: string): number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.part'))
    .map((name) => statSync(join(folder, name)).size)

/** The prompts and organizations of a data folder, as in its exports. */
export const snapshotRecordsIn = (folder: string): Promise<SnapshotRecords> => withStoresOf(folder, snapshotRecordsOf)

export const snapshotRecordsOf = async ({ catalog }: Pick<TestApp['stores'], 'catalog'>): Promise<SnapshotRecords> => ({
  prompts: (await catalog.exportRows('prompts', 10_000)).rows,
  organizations: (await catalog.exportRows('organizations', 10_000)).rows,
})

interface SnapshotRecords {
  prompts: Prompt[]
  organizations: Organization[]
}

/** The skills of a data folder, without the time at which each catalog ingested them. */
export const skillsIn = (folder: string): Promise<Skill[]> => withStoresOf(folder, skillsOf)

export const skillsOf = async ({ catalog }: Pick<TestApp['stores'], 'catalog'>): Promise<Skill[]> =>
  (await catalog.scanSkills(null, 10_000)).map((skill) => ({ ...skill, indexedAt: null }))
