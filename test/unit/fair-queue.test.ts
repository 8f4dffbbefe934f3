import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { FairQueue } from '../../shared/adapters/embedded/threads/fair-queue.js'

const options = { workers: 1, maxWaiting: 100, timeoutMs: 60_000 }

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

test('as many calls run as there are workers, all for one client when it is alone', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, workers: 3 }))
  const calls = ['1', '2', '3', '4'].map((name) => call('a', name))
  await sleep(0)
  expect(begun).toEqual(['1', '2', '3'])

  for (const _ of calls) {
    await endOne()
  }
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('a failed call releases its worker', async () => {
  const queue = new FairQueue(options)
  const failing = queue.run('a', () => Promise.reject(new Error('failed')))
  const next = queue.run('a', async () => 'done')

  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('done')
})

test('calls above the limit are refused, and have no effect', async () => {
  const { call, endOne } = openCalls(new FairQueue({ ...options, maxWaiting: 1 }))
  const calls = [call('a', 'first'), call('a', 'second')]

  await expect(call('b', 'third')).rejects.toThrow('the queue is full')

  await endOne()
  await endOne()
  expect(await Promise.all(calls)).toEqual(['first', 'second'])
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
})

test('calls that have waited too long are dropped', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, timeoutMs: 20 }))
  void call('a', 'first')
  const late = [call('a', 'second'), call('b', 'third')].map((called) => called.catch(String))
  await sleep(40)

  await endOne()

  expect(await Promise.all(late)).toEqual([
    expect.stringContaining('not started'),
    expect.stringContaining('not started'),
  ])
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
  expect(begun).toEqual(['first', 'later'])
})
