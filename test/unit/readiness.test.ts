import { expect, test } from '@jest/globals'
import { answerHealth, ReadinessCheck } from '../../shared/readiness.js'

test('is ready when all of them answer, whatever they say', async () => {
  const check = new ReadinessCheck({ one: async () => null, other: async () => 'something' })

  expect(await check.look()).toEqual({ ready: true, dependencies: { one: 'up', other: 'up' } })
})

test('names those that are down', async () => {
  const check = new ReadinessCheck({ one: async () => null, other: () => Promise.reject(new Error('gone')) })

  expect(await check.look()).toEqual({ ready: false, dependencies: { one: 'up', other: 'down' } })
})

test('looks once a second, however often it is asked', async () => {
  let nowMs = 0
  let asked = 0
  const check = new ReadinessCheck({ one: async () => (asked += 1) }, () => nowMs)

  await Promise.all(Array.from({ length: 20 }, () => check.look()))
  nowMs += 999
  await check.look()
  expect(asked).toBe(1)

  nowMs += 1
  await check.look()
  expect(asked).toBe(2)
})

test('other paths are not its own', async () => {
  expect(await answerHealth('/healthz/', new ReadinessCheck({}))).toBe(null)
})
