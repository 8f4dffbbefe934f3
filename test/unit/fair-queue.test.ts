import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { FairQueue } from '../../services/query/request/fair-queue.js'

const options = { atOnce: 1, maxWaiting: 100, maxWaitMs: 60_000 }

/** Calls that the test ends, and the order in which they started. */
function openCalls(queue: FairQueue) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const call = (client: string, name: string) =>
    queue.run(client, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    })
  const endOne = async () => {
    ends.shift()?.()
    await sleep(0)
  }
  return { begun, call, endOne }
}

test('clients take turns, however many calls one of them has waiting', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue(options))
  const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => call(name.slice(0, 1), name))

  for (const _ of calls) {
    await endOne()
  }

  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('as many calls run as may at once, all for one client when it is alone', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, atOnce: 3 }))
  const calls = ['1', '2', '3', '4'].map((name) => call('a', name))
  await sleep(0)
  expect(begun).toEqual(['1', '2', '3'])

  for (const _ of calls) {
    await endOne()
  }
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('a call without a client waits for none', async () => {
  const queue = new FairQueue(options)
  const { call, endOne } = openCalls(queue)
  const calls = [call('a', 'running'), call('a', 'waiting')]

  expect(await queue.run(undefined, async () => 'done')).toBe('done')

  await endOne()
  await endOne()
  expect(await Promise.all(calls)).toEqual(['running', 'waiting'])
})

test('a failed call makes room for the next', async () => {
  const queue = new FairQueue(options)
  const failing = queue.run('a', () => Promise.reject(new Error('failed')))
  const next = queue.run('a', async () => 'done')

  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('done')
})

test('calls above the limit are refused, and have no effect', async () => {
  const { call, endOne } = openCalls(new FairQueue({ ...options, maxWaiting: 1 }))
  const calls = [call('a', 'first'), call('a', 'second')]

  await expect(call('b', 'third')).rejects.toMatchObject({
    status: 503,
    code: 'overloaded',
    headers: { 'Retry-After': '1' },
  })

  await endOne()
  await endOne()
  expect(await Promise.all(calls)).toEqual(['first', 'second'])
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
})

test('a client whose turn would come too late is refused at once, and another one is not', async () => {
  const queue = new FairQueue({ ...options, maxWaitMs: 200 })
  // The mean of 10 ms is not reached at once: the first calls after a start take longer than those that follow.
  await inTurn(60, () => queue.run('a', () => sleep(10)))
  const { call, endOne } = openCalls(queue)
  const running = call('a', 'running')

  const busy = await Promise.allSettled(
    Array.from({ length: 60 }, () => Promise.race([queue.run('a', async () => 'done'), sleep(0)])),
  )
  const other = queue.run('b', async () => 'done')
  await endOne()

  const refused = busy.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(60)
  expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', headers: { 'Retry-After': '1' } } })
  expect(await Promise.all([running, other])).toEqual(['running', 'done'])
})

test('a call whose turn does not come in time is refused while the calls before it still run', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, maxWaitMs: 20 }))
  void call('a', 'first')
  const late = [call('a', 'second'), call('b', 'third')].map((called) => called.catch((error: unknown) => error))

  expect(await Promise.all(late)).toEqual([
    expect.objectContaining({ status: 503, code: 'overloaded' }),
    expect.objectContaining({ status: 503, code: 'overloaded' }),
  ])

  await endOne()
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
  expect(begun).toEqual(['first', 'later'])
})

/** Makes calls one after another. */
async function inTurn(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await call()
  }
}
