/**
 * Prints the files through which one request, and one change on servers, runs: `npm run paths`. Counted are the project's
 * own files in which a function ran, in any thread, of a service that has done the same before.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#method-takePreciseCoverage
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { type RunningProcess, startProcess, withFolder } from './processes.js'
import { print } from './report.js'
import { fillCatalog, type ServersBench, withServersBench } from './servers-bench.js'

const size = 1_000

/** The time within which threads have written what they noted, and what a request has left to do is done. */
const noteMs = 700

/** A service in which files are noted. */
interface Noted {
  process: RunningProcess
  /** The source files that have run since the last call. */
  take(): Promise<string[]>
}

async function startNoted(path: string, env: Record<string, string>, folder: string): Promise<Noted> {
  const noted = join(folder, path.replaceAll('/', '-'))
  mkdirSync(noted)
  const preload = pathToFileURL(join(projectRoot(), 'test/bench/note-path.mjs')).href
  const process = await startProcess(path, [], { ...env, NODE_OPTIONS: `--import ${preload}`, NOTED_FOLDER: noted })
  const take = async () => {
    await sleep(noteMs)
    for (const name of readdirSync(noted)) {
      rmSync(join(noted, name))
    }
    globalThis.process.kill(Number(process.pid), 'SIGUSR2')
    // On a busy machine some threads write later than others.
    let written = 0
    do {
      written = readdirSync(noted).length
      await sleep(noteMs)
    } while (written === 0 || readdirSync(noted).length > written)
    const urls = readdirSync(noted).flatMap((name) => JSON.parse(readFileSync(join(noted, name), 'utf8')) as string[])
    return [...new Set(urls.flatMap(sourceOf))].sort()
  }
  return { process, take }
}

/** The source of a built file of the project. */
function sourceOf(url: string): string[] {
  const path = url.startsWith('file:') ? relative(join(projectRoot(), 'dist'), fileURLToPath(url)) : '..'
  return /^(services|shared)\/.*\.js$/.test(path) ? [path.replace(/\.js$/, '.ts')] : []
}

/** @param path may be of a file whose name ends in `.tsx` */
const linesOf = (path: string): number => {
  const file = join(projectRoot(), path)
  return readFileSync(existsSync(file) ? file : `${file}x`, 'utf8').split('\n').length - 1
}

const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } })

function report(name: string, files: string[]): void {
  const lines = files.reduce((sum, path) => sum + linesOf(path), 0)
  print(`${name}: ${files.length} files, ${lines} lines`)
  for (const path of values.files ? files : []) {
    print(`  ${String(linesOf(path)).padStart(4)} ${path}`)
  }
}

/** Requests at once, so that each thread has answered some. */
const atOnce = 20

/** The files of one request that each thread has answered before. */
async function ofRequest({ process, take }: Noted, path: string): Promise<string[]> {
  for (let warm = 0; warm < 3; warm += 1) {
    const answers = Array.from({ length: atOnce }, () => fetch(`${process.url}${path}`))
    await Promise.all(answers.map(async (answer) => (await answer).arrayBuffer()))
  }
  await take()
  const idle = await take()
  const answer = await fetch(`${process.url}${path}`)
  await answer.arrayBuffer()
  if (answer.status !== 200) {
    throw new Error(`${path} was answered with ${answer.status}`)
  }
  const files = await take()
  // What runs by itself, such as a look at another process's work, is none of the request.
  return files.filter((file) => !idle.includes(file))
}

async function ofRequests(mode: string, service: Noted): Promise<void> {
  const answer = await fetch(`${service.process.url}/api/skills?limit=1`)
  const { data } = (await answer.json()) as { data: { id: string }[] }
  const [{ id } = { id: '' }] = data
  report(`${mode}: one skill`, await ofRequest(service, `/api/skills/${id}`))
  report(`${mode}: one search by words`, await ofRequest(service, '/api/v1/skills/search?q=pdf&mode=keyword'))
  report(`${mode}: one search`, await ofRequest(service, '/api/v1/skills/search?q=read%20tables%20of%20a%20pdf'))
}

async function ofEmbedded(folder: string): Promise<void> {
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'error', RATE_LIMIT_PER_MINUTE: '100000' }
  const service = await startNoted('dist/services/standalone/main.js', env, folder)
  await ofRequests('embedded', service)
}

/** @returns the files in which one change of a document runs until it can be searched */
async function ofChange({ skills }: ServersBench, indexer: Noted): Promise<string[]> {
  let files: string[] = []
  for (let change = 1; change <= 3; change += 1) {
    await sleep(3_000)
    await indexer.take()
    await skills.updateOne({}, { $set: { description: `changed ${change} times`, updatedAt: new Date() } })
    await sleep(2_000)
    files = await indexer.take()
  }
  return files
}

async function ofServers(folder: string): Promise<void> {
  await withServersBench(size, folder, async (bench) => {
    await fillCatalog(bench)
    const indexer = await startNoted('dist/services/indexer/main.js', bench.env, folder)
    report('servers: one change', await ofChange(bench, indexer))
    await indexer.process.stop()
    const service = await startNoted('dist/services/query/main.js', bench.env, folder)
    await ofRequests('servers', service)
    await service.process.stop()
  })
}

await withFolder(async (folder) => {
  await ofEmbedded(folder)
  await ofServers(folder)
})
