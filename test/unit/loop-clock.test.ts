import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type LoopClock, startLoopClock } from '../support/loop-clock.js'

let clock: LoopClock
beforeEach(() => {
  clock = startLoopClock()
})
afterEach(() => clock.stop())

test('waiting counts', async () => {
  const beganMs = clock.nowMs()
  for (let time = 0; time < 30; time += 1) {
    await sleep(10)
    clock.nowMs()
  }

  expect(clock.nowMs() - beganMs).toBeGreaterThan(250)
})

test('a blocked process does not count', () => {
  const beganMs = clock.nowMs()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)

  expect(clock.nowMs() - beganMs).toBeLessThan(100)
})
