import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { inLanes } from '../support/in-lanes.js'
import { openSocket, type RawAnswer } from '../support/raw-exchange.js'
import { nodeStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectInvariant } from './support/invariant.js'
import { printResult, statisticsOf, testWithConnections } from './support/process-statistics.js'
import { watchApi } from './support/watch-api.js'

/** Each watched path is requested by another client. */
const aSample = () => ({ DATA_DIR: temporaryFolder(), CATALOG_MODE: 'embedded', TRUSTED_PROXIES: '1' })

const many = 10_000

testWithConnections(
  '10,000 connections that send nothing: closed with a 408, others answered meanwhile',
  many,
  async () => {
    const env = aSample()
    const service = nodeStart(env)
    const url = await started(service)
    const before = statisticsOf(service.pid)
    const api = watchApi(url)

    const silent = await inLanes(many, 100, () => openSocket(url))
    const during = statisticsOf(service.pid)
    const answers = await Promise.all(silent.map(({ closed }) => closed))

    expect(statuses(answers)).toEqual({ 408: many })
    expect((await api.stop()).faults).toEqual([])
    const { peakMb } = statisticsOf(service.pid)
    printResult(`${during.open - before.open} open at the same time; ${peakMb - before.peakMb} MB for all of them`)
    expect(peakMb - before.peakMb).toBeLessThan(500)
    await expectInvariant(env)
  },
)

testWithConnections('headers byte by byte: closed with a 408, others answered meanwhile', 500, async () => {
  const env = aSample()
  const url = await started(nodeStart(env))
  const api = watchApi(url)

  const answers = await inLanes(500, 500, async () => {
    const { socket, closed } = await openSocket(url)
    let ended = false
    void closed.then(() => {
      ended = true
    })
    for (const byte of endlessHead()) {
      if (ended) {
        break
      }
      socket.write(byte)
      await sleep(100)
    }
    return closed
  })

  expect(statuses(answers)).toEqual({ 408: 500 })
  expect((await api.stop()).faults).toEqual([])
  await expectInvariant(env)
})

function* endlessHead(): Generator<string> {
  yield* 'GET /api/skills HTTP/1.1\r\nHost: x\r\nX-Slow: '
  for (;;) {
    yield 'a'
  }
}

function statuses(answers: RawAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) {
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}
