import { expect, test } from '@jest/globals'
import { answerHealth, ReadinessCheck } from '../../shared/runtime/readiness.js'

test('is ready when all checks succeed, for any results', async () => {
  const check = new ReadinessCheck({ one: async () => null, other: async () => 'something' })

  expect(await check.check()).toEqual({ ready: true, dependencies: { one: 'up', other: 'up' } })
})

test('lists the dependencies that are down', async () => {
  const check = new ReadinessCheck({ one: async () => null, other: () => Promise.reject(new Error('gone')) })

  expect(await check.check()).toEqual({ ready: false, dependencies: { one: 'up', other: 'down' } })
})

test('checks at most once per second', async () => {
  let nowMs = 0
  let asked = 0
  const check = new ReadinessCheck({ one: async () => (asked += 1) }, () => nowMs)

  await Promise.all(Array.from({ length: 20 }, () => check.check()))
  nowMs += 999
  await check.check()
  expect(asked).toBe(1)

  nowMs += 1
  await check.check()
  expect(asked).toBe(2)
})

test('other paths are not answered', async () => {
  expect(await answerHealth('/healthz/', new ReadinessCheck({}))).toBe(null)
})
