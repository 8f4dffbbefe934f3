import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { runJob } from '../../services/indexer/run-job.js'
import type { Organization } from '../../shared/records/organization.js'
import type { Prompt } from '../../shared/records/prompt.js'
import { type Skill, type StoredSkill, toPublicSkill } from '../../shared/records/skill.js'
import type { CatalogRun } from './catalog-command.js'
import { aSkill } from './factories.js'
import { runCatalog, withStoresOf } from './run-catalog.js'
import { temporaryFolder } from './temporary-folder.js'
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js'
import { silentLog } from './test-log.js'

/** A catalog to copy, whose changes have been logged. */
export async function startSource(
  skills: StoredSkill[],
  more: Pick<TestAppOptions, 'prompts' | 'organizations'> = {},
): Promise<TestApp> {
  const source = await startTestApp({ skills, ...more })
  await log(source)
  return source
}

/** Does one run of a job of the source. */
export async function log({ stores }: TestApp, job = logChanges, daysAhead = 0): Promise<void> {
  await runJob(job, {
    ...stores,
    changesKeptDays: 90,
    log: silentLog(),
    signal: new AbortController().signal,
    clock: () => new Date(Date.now() + daysAhead * 86_400_000),
  })
}

/** Runs `mirror` to its end. */
export const mirror = (url: string, folder: string, ...options: string[]): Promise<CatalogRun> =>
  runCatalog(temporaryFolder(), ['mirror', url, folder, '--json', ...options])

/** Sizes of the incomplete downloads in a folder. */
export const partSizes = (folder: string): number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.part'))
    .map((name) => statSync(join(folder, name)).size)

/** The prompts and organizations of a data folder, as its exports would show them. */
export const snapshotRecordsIn = (folder: string): Promise<SnapshotRecords> => withStoresOf(folder, snapshotRecordsOf)

export const snapshotRecordsOf = async ({ catalog }: Pick<TestApp['stores'], 'catalog'>): Promise<SnapshotRecords> => ({
  prompts: (await catalog.exportRows('prompts', 10_000)).rows,
  organizations: (await catalog.exportRows('organizations', 10_000)).rows,
})

interface SnapshotRecords {
  prompts: Prompt[]
  organizations: Organization[]
}

/** The skills of a data folder, without the time at which each catalog has taken them in. */
export const skillsIn = (folder: string): Promise<Skill[]> => withStoresOf(folder, skillsOf)

export const skillsOf = async ({ catalog }: Pick<TestApp['stores'], 'catalog'>): Promise<Skill[]> =>
  (await catalog.scanSkills(null, 10_000)).map(({ stored }) => ({ ...toPublicSkill(stored), indexedAt: null }))

export const manySkills = (count: number): StoredSkill[] =>
  Array.from({ length: count }, (_, n) => aSkill({ repo: `many-${n}`, stars: n }))
