import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { servers } from '../support/run-servers.js'
import { print } from './report.js'

/** Options of the command line: the files to write. */
export const outputOptions = { json: { type: 'string' }, svg: { type: 'string' } } as const

/** The version of the Meilisearch on the path; null: there is none. */
export function installedMeilisearch(): string | null {
  const version = servers.meilisearch.found() ? execFileSync('meilisearch', ['--version'], { encoding: 'utf8' }) : ''
  return version.trim().split(' ').at(-1) || null
}

/** Describes this machine, in the results and in print. @param meilisearch its version; null: not measured */
export function describeMachine(meilisearch: string | null) {
  const machine = {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    node: process.versions.node,
    meilisearch,
  }
  const { date, cores, processor, node } = machine
  print(`${date}, ${cores} cores of ${processor}, Node ${node}, Meilisearch ${meilisearch ?? 'not measured'}`)
  return machine
}

/** Writes results as JSON, as they are. @param path undefined: nowhere */
export function writeJson(path: string | undefined, results: object): void {
  if (path !== undefined) {
    writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
  }
}
