import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from '@jest/globals'
import { RequestPace } from '../../services/query/request/server.js'

/** A clock that stands still: no request waits for too long, however busy the machine is. */
const stopped = (): number => 0

test('requests that arrive in one turn of the event loop begin over several, in their order', async () => {
  const pace = new RequestPace({ clock: stopped })
  const begun: number[] = []
  const all = Array.from({ length: 50 }, async (_, request) => {
    await pace.turn()
    begun.push(request)
  })

  await Promise.resolve()
  const inThisTurn = begun.length
  await nextTurn()
  const inTheNext = begun.length - inThisTurn
  await Promise.all(all)

  expect([inThisTurn, inTheNext]).toEqual([20, 20])
  expect(begun).toEqual([...begun].sort((a, b) => a - b))
})

test('what a thread answers is read before all waiting requests have begun', async () => {
  const pace = new RequestPace({ clock: stopped })
  const { port1, port2 } = new MessageChannel()
  let begun = 0
  for (let request = 0; request < 2_000; request += 1) {
    void Promise.resolve(pace.turn()).then(() => {
      begun += 1
    })
  }

  port1.postMessage('an answer')
  await once(port2, 'message')
  const atAnswer = begun
  port1.close()

  expect(atAnswer).toBeLessThan(1_000)
})

test('after a pause, requests begin at once again', async () => {
  const pace = new RequestPace({ clock: stopped })
  const waiting = Array.from({ length: 30 }, () => pace.turn()).filter((turn) => turn !== null)
  expect(waiting).toHaveLength(10)
  await Promise.all(waiting)
  await nextTurn()
  await nextTurn()

  expect(pace.turn()).toBeNull()
})

test('requests that have waited for too long are refused, four in the place of one', async () => {
  let nowMs = 0
  const pace = new RequestPace({ maxWaitMs: 2_000, clock: () => nowMs })
  const refusals: unknown[] = []
  for (let request = 0; request < 120; request += 1) {
    pace.turn()?.catch((error) => refusals.push(error))
  }
  nowMs = 2_001
  const arrivedLater = pace.turn()

  await nextTurn()
  expect(refusals).toHaveLength(80)
  expect(refusals[0]).toMatchObject({ status: 503, code: 'overloaded' })
  await expect(arrivedLater).resolves.toBeUndefined()
  expect(refusals).toHaveLength(100)
})

test('once a request has waited for too long, the others are refused sooner, until none waits', async () => {
  let nowMs = 0
  const pace = new RequestPace({ maxWaitMs: 2_000, standingWaitMs: 200, clock: () => nowMs })
  const refused: number[] = []
  /** Requests that arrive together, and a turn of the event loop later on. */
  const arrive = async (requests: number, turnMs: number) => {
    for (let request = 0; request < requests; request += 1) {
      const atMs = nowMs
      pace.turn()?.catch(() => refused.push(nowMs - atMs))
    }
    nowMs += turnMs
    await nextTurn()
  }

  await arrive(140, 500)
  for (let turn = 0; turn < 20; turn += 1) {
    await arrive(20, 500)
  }
  expect(Math.max(...refused)).toBe(2_500)
  expect(Math.min(...refused)).toBe(500)

  for (let turn = 0; turn < 5; turn += 1) {
    await arrive(0, 500)
  }
  const until = refused.length
  await arrive(60, 500)
  await arrive(0, 500)
  await arrive(0, 500)
  expect(refused).toHaveLength(until)
})

test('requests that wait without a pause, but not for too long, are not refused', async () => {
  let nowMs = 0
  const pace = new RequestPace({ maxWaitMs: 2_000, standingWaitMs: 200, clock: () => nowMs })
  let refused = 0
  for (let turn = 0; turn < 50; turn += 1) {
    for (let request = 0; request < (turn === 0 ? 60 : 20); request += 1) {
      pace.turn()?.catch(() => {
        refused += 1
      })
    }
    nowMs += 500
    await nextTurn()
  }

  expect(refused).toBe(0)
})
