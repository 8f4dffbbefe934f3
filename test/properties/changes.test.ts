import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { reconcile } from '../../services/indexer/jobs/reconcile.js'
import { writeExports } from '../../services/indexer/jobs/write-exports.js'
import { catchUp } from '../../services/indexer/mirror/copy.js'
import { type Skill, type StoredSkill, toPublicSkill } from '../../shared/records/skill.js'
import { openMirror, skillsOf } from '../support/mirror.js'
import { runOnce } from '../support/run-once.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { anyWrite } from './any-skill.js'

const dayMs = 86_400_000

/** Events at the source, and actions of clients that keep a copy. */
type Step =
  | { writes: StoredSkill[] }
  | { removes: string[] }
  | { exports: true }
  /** Advances the time by this number of days, to the end of a night. */
  | { days: number }
  | { readsPageOf: number }
  | { catchesUp: true }

const skills = 12

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyWrite(skills), { minLength: 1, maxLength: 6 }).map((writes) => ({ writes })) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.nat(skills - 1), { minLength: 1, maxLength: 3 })
      .map((numbers) => ({ removes: numbers.map((n) => `acme/skill-${n}`) })),
  },
  { weight: 1, arbitrary: fc.constant({ exports: true }) },
  {
    weight: 2,
    arbitrary: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(89, 91)).map((days) => ({ days })),
  },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }).map((readsPageOf) => ({ readsPageOf })) },
  { weight: 1, arbitrary: fc.constant({ catchesUp: true }) },
)

/** A client that keeps a copy by the documentation alone: a page now and then, and from the start again after a 410. */
class Follower {
  readonly copy = new Map<string, Skill>()
  #since = 0

  constructor(readonly api: TestApp) {}

  /** Whether more changes are available. */
  async read(limit: number): Promise<boolean> {
    const { status, body } = await this.api.get(`/api/v1/changes?since=${this.#since}&limit=${limit}`)
    if (status === 410) {
      this.copy.clear()
      this.#since = 0
      return true
    }
    expect(status).toBe(200)
    const { data, pagination } = body as {
      data: { id: string; skill: Skill | null }[]
      pagination: { nextSince: number; more: boolean }
    }
    for (const { id, skill } of data) {
      if (skill === null) {
        this.copy.delete(id)
      } else {
        this.copy.set(id, { ...skill, indexedAt: null })
      }
    }
    expect(pagination.nextSince).toBeGreaterThanOrEqual(this.#since)
    this.#since = pagination.nextSince
    return pagination.more
  }
}

const byId = (all: Iterable<Skill>): Skill[] => [...all].sort((a, b) => (a.id < b.id ? -1 : 1))

/** Everything but the date, which the test moves. */
const realTimers = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
]
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: realTimers })
})
afterEach(() => {
  jest.useRealTimers()
})

test('every client that follows the changes ends with the published skills, after any writes, drops and pauses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40, size: 'max' }), async (steps) => {
      const pass = (ms: number) => jest.setSystemTime(Date.now() + ms)
      const source = await startTestApp()
      const { catalog } = source.stores
      const follower = new Follower(source)
      const mirror = await openMirror(source.url, { attempts: 1 })
      const published = new Map<string, Skill>()

      for (const step of steps) {
        // The service's answers may be some seconds old.
        pass(10_000)
        if ('writes' in step) {
          await catalog.put('skills', step.writes)
          for (const skill of step.writes) {
            published.delete(skill.id)
            if (skill.state === 'published') {
              published.set(skill.id, { ...toPublicSkill(skill), indexedAt: null })
            }
          }
        } else if ('removes' in step) {
          await catalog.remove('skills', step.removes)
          for (const id of step.removes) {
            published.delete(id)
          }
        } else if ('exports' in step) {
          await runOnce(writeExports, source.stores)
        } else if ('days' in step) {
          pass(step.days * dayMs)
          await runOnce(reconcile, source.stores)
        } else if ('readsPageOf' in step) {
          await follower.read(step.readsPageOf)
        } else {
          await catchUp(mirror)
        }
      }
      while (await follower.read(2)) {
        // Until there are no more changes.
      }
      await catchUp(mirror)

      expect(byId(follower.copy.values())).toEqual(byId(published.values()))
      expect(byId(await skillsOf(mirror))).toEqual(byId(published.values()))
    }),
    { numRuns: 3 },
  )
})
