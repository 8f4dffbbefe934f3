import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { logChanges } from '../../services/indexer/jobs/log-changes.js'
import { verifyChanges } from '../../services/indexer/jobs/verify-changes.js'
import type { Skill } from '../../shared/records/skill.js'
import { expectInvariant } from '../faults/support/invariant.js'
import { withCatalog } from '../faults/support/with-catalog.js'
import type { ApiClient } from './api-client.js'
import { promptsComplaint } from './broken-imports.js'
import type { Follower } from './follower.js'
import type { History } from './history.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { runJobCommand } from './strike.js'

/** By then a catalog whose parts are back has caught up: locks of the dead have run out, schedules are there again. */
const healedWithinMs = 180_000

const askedEveryMs = 500

export interface HealDeps {
  catalog: SoakCatalog
  client: ApiClient
  history: History
  follower: Follower
  log: SoakLog
}

/**
 * Waits, while nobody writes, until the catalog has healed by itself, and holds everything that it has against what was
 * written.
 *
 * @param vanished how many documents were deleted without a trace since the last time: only comparisons notice them
 */
export async function heal({ catalog, client, history, follower, log }: HealDeps, vanished: number): Promise<void> {
  await until('the service is ready', () => isReady(catalog.url))
  await until('the index has caught up by itself', async () => {
    const result = await runJobCommand(catalog.env, 'verify')
    judgeComparison(result, vanished, log)
    return result?.['pending'] === 0
  })
  const mended = await compareChanges(catalog.env)
  if (mended > vanished) {
    log.complain('change log', `${mended} changes had not been logged, though ${vanished} could not be known`)
  }
  await untilNull('the copy is what is published', async () => follower.difference())
  await untilNull('the prompts are published', () => promptsComplaint(client))
  await expectInvariant(catalog.env)
  judgeLogs(catalog, log)
  await compareRecords(catalog.url, history, log)
  history.confirm()
}

/** Notes what a comparison found that had not been on its way. */
export function judgeComparison(result: Record<string, unknown> | null, vanished: number, log: SoakLog): void {
  if (result === null || result['missing'] === undefined) {
    return
  }
  const { missing, extra, different } = result
  if (missing !== 0 || different !== 0 || Number(extra) > vanished) {
    log.complain('index', `${JSON.stringify(result)}, though no more than ${vanished} had vanished`)
  }
}

/** Neither is a service to find what was lost without a word, nor to meet a fault of its own. */
function judgeLogs({ services }: SoakCatalog, log: SoakLog): void {
  for (const service of services) {
    for (const line of service.newLines()) {
      if (/"kind":"(missing|different)"|"level":60/.test(line)) {
        log.complain('log', `${service.name}: ${line.slice(0, 1_000)}`)
      }
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

const compareChanges = (env: Record<string, string>): Promise<number> =>
  withCatalog(env, async ({ run }) => {
    await run(logChanges)
    return Number((await run(verifyChanges))['mended'] ?? 0)
  })

/** What is published is what was written last, of each skill. */
async function compareRecords(url: string, history: History, log: SoakLog): Promise<void> {
  const there = new Map<string, Skill>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response: Response = await fetch(`${url}/api/skills?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const { data, pagination } = (await response.json()) as {
      data: Skill[]
      pagination: { nextCursor: string | null }
    }
    for (const skill of data) {
      there.set(skill.id, skill)
    }
    cursor = pagination.nextCursor
  }
  const published = history.published()
  for (const id of new Set([...published.keys(), ...there.keys()])) {
    const [written, read] = [published.get(id), there.get(id)]
    if (!isDeepStrictEqual(written, read === undefined ? undefined : { ...read, indexedAt: null })) {
      log.complain('lost', `${id} was written last as ${JSON.stringify(written)}, and is ${JSON.stringify(read)}`)
    }
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + healedWithinMs; !(await isSo()); await sleep(askedEveryMs)) {
    if (performance.now() > deadline) {
      throw new Error(`it took longer than ${healedWithinMs / 1_000} s until ${what}`)
    }
  }
}

/** @param complaint what is still wrong; null: nothing */
async function untilNull(what: string, complaint: () => Promise<string | null>): Promise<void> {
  let last: string | null = null
  const isSo = async () => {
    last = await complaint()
    return last === null
  }
  await until(what, isSo).catch((error: unknown) => {
    throw new Error(`${error}: ${last}`)
  })
}
