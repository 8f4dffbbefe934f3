import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { freePort } from '../support/free-port.js'
import { nodeStart, type ServiceProcess, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { sendTo } from '../support/test-app.js'

const start = (env: Record<string, string> = {}) => nodeStart({ DATA_DIR: temporaryFolder(), WORKERS: '2', ...env })

test('two workers answer with one set of limits and metrics, and end with the service', async () => {
  const metricsPort = await freePort()
  const service = start({ RATE_LIMIT_PER_MINUTE: '20', METRICS_PORT: String(metricsPort) })
  const url = await started(service)

  const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf(url)))
  const metrics = await sendTo(`http://127.0.0.1:${metricsPort}`, 'GET', '/metrics')
  const ready = await sendTo(`http://127.0.0.1:${metricsPort}`, 'GET', '/readyz')

  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  expect(metrics.text).toContain('catalog_http_requests_total{endpoint="suggest-skills",method="GET",status="200"} 20')
  expect(metrics.text).toMatch(/^catalog_job_runs_total\{job="sync-index",outcome="succeeded"\} \d/m)
  expect(ready.body).toMatchObject({ status: 'ready' })
  await service.says('"worker":1')
  await service.says('"worker":2')

  const workers = workersOf(service)
  service.signal('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(workers).toHaveLength(2)
  expect(workers.filter(isAlive)).toEqual([])
  expect(service.stderr()).not.toContain('"level":50')
})

test('a worker that is killed is started again and logged once, while the other one answers', async () => {
  const service = start()
  const url = await started(service)
  const [killed = 0, other] = workersOf(service)

  process.kill(killed, 'SIGKILL')
  await service.says('a worker process ended: it is started again')
  expect(await statusOf(url)).toBe(200)
  while (!service.stderr().includes('"worker":3,"requestId"')) {
    await sleep(50)
    expect(await statusOf(url)).toBe(200)
  }

  expect(workersOf(service)).toContain(other)
  expect(service.stderr().match(/a worker process ended/g)).toHaveLength(1)
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
})

test('a connection that a worker had not taken when it died is answered by another worker', async () => {
  const service = start()
  const url = await started(service)
  const [stopped = 0] = workersOf(service)

  process.kill(stopped, 'SIGSTOP')
  // One of them is handed to the worker that does not run.
  const answers = Promise.all(Array.from({ length: 4 }, () => healthOf(url)))
  await sleep(200)
  process.kill(stopped, 'SIGKILL')

  expect(await answers).toEqual([200, 200, 200, 200])
})

test('without any worker no connection is refused, and the next workers answer all that wait', async () => {
  const service = start()
  const url = await started(service)

  for (let round = 1; round <= 2; round += 1) {
    const workers = workersOf(service)
    for (const worker of workers) {
      process.kill(worker, 'SIGSTOP')
    }
    const handed = [healthOf(url), healthOf(url), healthOf(url)]
    await sleep(200)
    for (const worker of workers) {
      process.kill(worker, 'SIGKILL')
    }
    const later = [healthOf(url), healthOf(url)]

    expect(await Promise.all([...handed, ...later])).toEqual([200, 200, 200, 200, 200])
  }
})

test('workers end when the service is killed, and the next one takes the folder', async () => {
  const folder = temporaryFolder()
  const service = start({ DATA_DIR: folder })
  await started(service)
  const workers = workersOf(service)

  service.signal('SIGKILL')
  await service.ended
  while (workers.some(isAlive)) {
    await sleep(50)
  }

  const next = start({ DATA_DIR: folder })
  expect(await statusOf(await started(next))).toBe(200)
})

test('a port in use ends the start, and is said once', async () => {
  const port = await freePort()
  const occupied = createServer().listen(port, '127.0.0.1')
  const service = start({ PORT: String(port) })

  expect(await service.ended).toBe(2)
  occupied.close()

  expect(service.stderr().split('is in use')).toHaveLength(2)
})

/** Sent on a connection of its own: connections are what workers take turns in. */
async function statusOf(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/skills/suggest?q=pdf`, { headers: { Connection: 'close' } })
  await answer.text()
  return answer.status
}

/** The same, of what a worker answers by itself. */
const healthOf = async (url: string): Promise<number> =>
  (await fetch(`${url}/healthz`, { headers: { Connection: 'close' } })).status

/** The ids of the worker processes. */
const workersOf = ({ pid }: ServiceProcess): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
