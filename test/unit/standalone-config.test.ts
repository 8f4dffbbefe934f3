import { availableParallelism } from 'node:os'
import { expect, test } from '@jest/globals'
import { readStandaloneConfig, searchThreads } from '../../services/standalone/config.js'
import { readWorkers } from '../../shared/runtime/query-config.js'

test('workers: one for every two cores, unless a number is set', () => {
  expect(readWorkers({})).toBe(Math.min(8, Math.max(1, Math.floor(availableParallelism() / 2))))
  expect(readWorkers({ WORKERS: '3' })).toBe(3)
  expect(() => readStandaloneConfig({ WORKERS: '0', PORT: 'x' })).toThrow(/PORT: [\s\S]*WORKERS: "0" must be a whole/)
})

test('search threads: two in a process, fewer where there would be more than cores and one', () => {
  const cores = availableParallelism()

  expect(searchThreads({ workers: 1 })).toBe(2)
  expect(searchThreads({ workers: cores })).toBe(1)
  expect(searchThreads({ workers: 64 })).toBe(1)
  expect(searchThreads({ workers: readWorkers({}) }) * readWorkers({})).toBeLessThanOrEqual(cores + 1)
})
