import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { FairQueue } from '../../shared/adapters/embedded/fair-queue.js'

const options = { workers: 1, maxWaiting: 100, patienceMs: 60_000 }

/** Calls whose end the test decides, and in which order they began. */
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

test('clients take turns, however much one of them has asked for before', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue(options))
  const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => call(name.slice(0, 1), name))

  for (const _ of calls) {
    await endOne()
  }

  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('as many calls go on as there are workers, all for one client when nobody else asks', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, workers: 3 }))
  const calls = ['1', '2', '3', '4'].map((name) => call('a', name))
  await sleep(0)
  expect(begun).toEqual(['1', '2', '3'])

  for (const _ of calls) {
    await endOne()
  }
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('a call that fails leaves its worker to the next', async () => {
  const queue = new FairQueue(options)
  const failing = queue.run('a', () => Promise.reject(new Error('it failed')))
  const next = queue.run('a', async () => 'done')

  await expect(failing).rejects.toThrow('it failed')
  expect(await next).toBe('done')
})

test('more than may wait are refused, and have no effect', async () => {
  const { call, endOne } = openCalls(new FairQueue({ ...options, maxWaiting: 1 }))
  const calls = [call('a', 'first'), call('a', 'second')]

  await expect(call('b', 'third')).rejects.toThrow('1 calls are waiting already')

  await endOne()
  await endOne()
  expect(await Promise.all(calls)).toEqual(['first', 'second'])
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
})

test('nothing is done for those who have waited too long', async () => {
  const { begun, call, endOne } = openCalls(new FairQueue({ ...options, patienceMs: 20 }))
  void call('a', 'first')
  const late = [call('a', 'second'), call('b', 'third')].map((called) => called.catch(String))
  await sleep(40)

  await endOne()

  expect(await Promise.all(late)).toEqual([expect.stringContaining('not begun'), expect.stringContaining('not begun')])
  const later = call('b', 'later')
  await endOne()
  expect(await later).toBe('later')
  expect(begun).toEqual(['first', 'later'])
})
