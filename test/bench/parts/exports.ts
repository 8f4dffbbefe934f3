import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endsWithUs } from '../../support/children.js'
import { freePort } from '../../support/local-server.js'
import { makeSeeded, startLoggingService } from '../embedded-catalog.js'
import { processorSeconds } from '../footprint.js'
import { compareLoads, type LoadProcess, startLoadProcess } from '../load.js'
import type { RunningProcess } from '../processes.js'
import { type Measure, type Part, row } from '../report.js'

const downloadsAtOnce = 100
const downloadsMs = 5_000

const kinds = [
  { name: 'plain', encoding: 'identity', ending: '.json', atLeast: 0.7 },
  { name: 'packed', encoding: 'br', ending: '.json.br', atLeast: 0.8 },
] as const

const path = '/api/v1/export?type=skills'

/** Downloads of export files, compared with nginx serving the same files. */
export const exportsPart: Part = {
  name: 'exports',
  summary: 'bytes a second of export files, to nginx, and the memory that downloads take',
  async measure(folder) {
    await makeSeeded(10_000, folder)
    const load = startLoadProcess()
    const service = await startLoggingService(folder)
    const memory = await measureMemory(load, service)
    return [...(await measureBytes(folder, load, service)), memory]
  },
}

async function measureMemory(load: LoadProcess, service: RunningProcess): Promise<Measure> {
  const of = (connections: number, durationMs: number) => ({
    url: service.url,
    requests: [{ path, headers: { 'Accept-Encoding': 'identity' } }],
    status: 200,
    connections,
    durationMs,
  })
  // The memory of a service that has sent files before.
  await load.closedLoop(of(2, 2_000))
  const before = service.memory().residentBytes
  const peaks = []
  for (let round = 0; round < 3; round += 1) {
    const running = load.closedLoop(of(downloadsAtOnce, downloadsMs))
    let peak = 0
    for (const end = Date.now() + downloadsMs; Date.now() < end; await sleep(50)) {
      peak = Math.max(peak, service.memory().residentBytes)
    }
    await running
    peaks.push((peak - before) / 1_048_576)
  }
  return {
    name: `more memory for ${downloadsAtOnce} downloads at once`,
    value: Math.max(...peaks),
    unit: 'MiB',
    aim: { atMost: 30 },
    detail: `${Math.round(before / 1_048_576)} MiB before`,
  }
}

async function measureBytes(folder: string, load: LoadProcess, service: RunningProcess): Promise<Measure[]> {
  const files = join(folder, 'data', 'exports')
  const nginx = await startNginx(files, join(folder, 'nginx'))
  if (nginx === null) {
    row('left out', 'nginx', 'it is not on the path')
    return []
  }
  const measures: Measure[] = []
  for (const { name, encoding, ending, atLeast } of kinds) {
    const file = readdirSync(files).find((each) => each.startsWith('skills-') && each.endsWith(ending))
    const headers = { 'Accept-Encoding': encoding }
    const [baseline, measured] = await compareLoads(load, [
      { process: nginx, requests: [{ path: `/${file}` }] },
      { process: service, requests: [{ path, headers }] },
    ])
    const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000).toLocaleString('en')} MB`
    measures.push({
      name: `${name} export`,
      value: measured.bytesPerSecond / baseline.bytesPerSecond,
      unit: '× nginx',
      aim: { atLeast },
      detail: `${megabytes(measured.bytesPerSecond)} a second, nginx ${megabytes(baseline.bytesPerSecond)}`,
    })
  }
  return measures
}

/**
 * Starts an nginx that serves the files of a folder with sendfile, in one process.
 *
 * @param work an empty folder
 * @returns null when nginx is not on the path
 */
async function startNginx(files: string, work: string): Promise<Pick<RunningProcess, 'url' | 'cpuMs'> | null> {
  const port = await freePort()
  mkdirSync(work)
  const conf = join(work, 'nginx.conf')
  writeFileSync(
    conf,
    `daemon off; master_process off; pid ${work}/pid; error_log stderr crit; events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; client_body_temp_path ${work}; proxy_temp_path ${work};
fastcgi_temp_path ${work}; uwsgi_temp_path ${work}; scgi_temp_path ${work};
server { listen 127.0.0.1:${port}; root ${files}; } }\n`,
  )
  const child = spawn('nginx', ['-c', conf], { stdio: 'ignore' })
  endsWithUs(child)
  const missing = once(child, 'error').then(() => true)
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await Promise.race([missing, sleep(50, false)])) {
      return null
    }
    if ((await fetch(url).catch(() => null)) !== null) {
      break
    }
  }
  return { url, cpuMs: () => processorSeconds(child.pid) * 1_000 }
}
