import { expect, test } from '@jest/globals'
import { readStandaloneConfig, searchThreads } from '../../services/standalone/config.js'

test('every bad variable of both services is named', () => {
  expect(() => readStandaloneConfig({ METRICS_PORT: 'x', PORT: 'x' })).toThrow(/PORT: [\s\S]*METRICS_PORT: "x" must be/)
})

test('search threads: one for each core, from two to eight', () => {
  expect([1, 2, 3, 8, 64].map(searchThreads)).toEqual([2, 2, 3, 8, 8])
})
