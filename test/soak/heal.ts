import { setTimeout as sleep } from 'node:timers/promises'
import { expectInvariant } from '../faults/support/invariant.js'
import { readSkills } from '../relevance/engine.js'
import type { ApiClient } from './api-client.js'
import { promptsViolation } from './broken-imports.js'
import type { Follower } from './followers.js'
import type { History } from './history.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'
import { runJobCommand } from './strike.js'

/** Time for the recovery of a catalog: locks of dead processes expire, schedules are written again. */
const recoveryTimeoutMs = 180_000

const checkEveryMs = 500

export interface HealDeps {
  catalog: SoakCatalog
  client: ApiClient
  history: History
  follower: Follower
  log: SoakLog
}

/** Waits, without writes, until the catalog has recovered by itself, and compares it with the history. */
export async function heal({ catalog, client, history, follower, log }: HealDeps): Promise<void> {
  await until('the service is ready', () => isReady(catalog.url))
  await until('the index has caught up by itself', async () => {
    const result = await runJobCommand(catalog.env, 'verify')
    judgeComparison(result, log)
    return result?.['repaired'] === 0
  })
  await untilNull('the copy is what is published', async () => follower.difference())
  await untilNull('the prompts are published', () => promptsViolation(client))
  await expectInvariant(catalog.env)
  judgeLogs(catalog, log)
  await compareRecords(catalog.url, history, log)
  await compareNames(catalog.url, history, log)
  history.confirm()
}

/** Reports differences that a comparison should not have found. */
export function judgeComparison(result: Record<string, unknown> | null, log: SoakLog): void {
  if (result === null || result['missing'] === undefined) {
    return
  }
  const { missing, extra, different } = result
  if (missing !== 0 || different !== 0 || extra !== 0) {
    log.violation('index', JSON.stringify(result))
  }
}

/** The services must not log lost changes or fatal errors. */
function judgeLogs({ services }: SoakCatalog, log: SoakLog): void {
  for (const service of services) {
    for (const line of service.newLines()) {
      if (/"kind":"(missing|different)"|"level":60/.test(line)) {
        log.violation('log', `${service.name}: ${line.slice(0, 1_000)}`)
      }
    }
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Each published skill must be in its last written state. */
async function compareRecords(url: string, history: History, log: SoakLog): Promise<void> {
  const listed = new Map((await readSkills(url)).map((skill) => [skill.id, skill]))
  for (const [id, written, read] of history.differences(listed)) {
    log.violation('lost', `${id} was written last as ${JSON.stringify(written)}, and is ${JSON.stringify(read)}`)
  }
}

/** Each former id must lead to the present one. */
async function compareNames(url: string, history: History, log: SoakLog): Promise<void> {
  const renamed = [...history.renamed()]
  for (let from = 0; from < renamed.length; from += 100) {
    const some = renamed.slice(from, from + 100)
    const response = await fetch(`${url}/api/skills?ids=${some.map(([former]) => former).join(',')}`)
    const { missing } = (await response.json()) as { missing: { id: string; presentId: string | null }[] }
    const found = new Map(missing.map(({ id, presentId }) => [id, presentId]))
    for (const [former, present] of some.filter(([id, presentId]) => found.get(id) !== presentId)) {
      log.violation('name', `${former} was renamed to ${present}, and leads to ${found.get(former)}`)
    }
  }
}

async function until(state: string, isReached: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + recoveryTimeoutMs; !(await isReached()); await sleep(checkEveryMs)) {
    if (performance.now() > deadline) {
      throw new Error(`timeout after ${recoveryTimeoutMs / 1_000} s: ${state}`)
    }
  }
}

/** @param findViolation returns the remaining violation; null: none */
async function untilNull(state: string, findViolation: () => Promise<string | null>): Promise<void> {
  let last: string | null = null
  const isReached = async () => {
    last = await findViolation()
    return last === null
  }
  await until(state, isReached).catch((error: unknown) => {
    throw new Error(`${error}: ${last}`)
  })
}
