import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Skill } from '../../../shared/records/skill.js'
import { makeSeeded, startLoggingService } from '../embedded-catalog.js'
import { compareLoads, type LoadProcess, startLoadProcess, toMeasure } from '../load.js'
import { type RunningProcess, startBare } from '../processes.js'
import { sampleOf } from '../record-sets.js'
import type { Measure, Part } from '../report.js'

const size = 10_000

/** Different addresses of one endpoint that are requested in turn. */
const addresses = 200

const plain = { 'Accept-Encoding': 'identity' }
const packed = { 'Accept-Encoding': 'gzip, deflate, br' }

/** An endpoint under load. */
interface Subject {
  name: string
  paths: string[]
  headers: Record<string, string>
  /** Requests with the entity tags of the answers. */
  conditional?: true
  atLeast: number
}

/** Requests of the embedded mode, compared with a bare Koa that answers each with the same JSON. */
export const requests: Part = {
  name: 'requests',
  summary: 'requests a second over 32 connections, to a bare Koa that answers fixed JSON of the same size',
  async measure(folder) {
    const sample = (await sampleOf(await makeSeeded(size, folder))).slice(0, addresses)
    const load = startLoadProcess()
    const service = await startLoggingService(folder)
    const measures: Measure[] = []
    for (const subject of subjectsOf(sample)) {
      measures.push(await measureSubject(subject, { folder, load, service }))
    }
    return measures
  },
}

function subjectsOf(sample: Skill[]): Subject[] {
  const one = sample.map(({ id }) => `/api/skills/${id}`)
  const pages = (count: number) =>
    ['updated', 'stars', 'created', 'name'].flatMap((sort) =>
      Array.from({ length: count }, (_, page) => `/api/skills?limit=20&sort=${sort}&page=${page + 1}`),
    )
  const list = pages(addresses / 4)
  return [
    { name: 'one skill', paths: one, headers: plain, atLeast: 0.6 },
    { name: '304 of one skill', paths: one, headers: plain, conditional: true, atLeast: 0.8 },
    { name: 'list of 20', paths: list, headers: plain, atLeast: 0.5 },
    { name: 'list of 20, compressed', paths: list, headers: packed, atLeast: 0.5 },
    // More than are kept.
    { name: 'list of 20, of all pages', paths: pages(size / 20), headers: plain, atLeast: 0.5 },
    { name: 'statistics', paths: ['/api/v1/stats'], headers: plain, atLeast: 0.8 },
    { name: 'statistics, compressed', paths: ['/api/v1/stats'], headers: packed, atLeast: 0.8 },
  ]
}

async function measureSubject(
  { name, paths, headers, conditional, atLeast }: Subject,
  { folder, load, service }: { folder: string; load: LoadProcess; service: RunningProcess },
): Promise<Measure> {
  const answers = await Promise.all(
    paths.slice(0, addresses).map((path) => fetch(`${service.url}${path}`, { headers })),
  )
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  const path = join(folder, 'answer.json')
  writeFileSync(path, bodies.toSorted((a, b) => a.length - b.length)[Math.floor(bodies.length / 2)] ?? '')
  const tagged = paths.map((each, place) => ({
    path: each,
    headers: conditional ? { ...headers, 'If-None-Match': answers[place]?.headers.get('ETag') ?? '' } : headers,
  }))
  const bare = await startBare(headers === packed ? 'koa gzip' : 'koa', path)
  const loads = await compareLoads(load, [
    { process: bare, requests: [{ path: '/', headers }] },
    { process: service, requests: tagged, status: conditional ? 304 : 200 },
  ])
  await bare.stop()
  return toMeasure(name, 'bare Koa', loads, { atLeast })
}
