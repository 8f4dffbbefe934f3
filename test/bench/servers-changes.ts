import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { row, spread } from './report.js'
import type { ServersBench } from './servers-bench.js'
import { type Percentiles, percentiles } from './statistics.js'

const changes = 100

/** The time from another application's write until the service finds the change. */
export async function measureChanges({ skills }: ServersBench, url: string): Promise<Percentiles> {
  const documents = await skills.find({}, { projection: { _id: 1 }, limit: changes }).toArray()
  const times: number[] = []
  for (const [place, { _id }] of documents.entries()) {
    const word = `changed${randomUUID().replaceAll('-', '')}`
    await skills.updateOne({ _id }, { $set: { description: word, updatedAt: new Date() } })
    const startedAt = performance.now()
    while ((await totalOf(url, word)) === 0) {
      await sleep(5)
    }
    times.push(performance.now() - startedAt)
    // At a different point between two syncs each time.
    await sleep((place * 37) % 500)
  }
  const measured = percentiles(times)
  row('change to searchable', spread(measured), 'written to MongoDB by another application')
  return measured
}

async function totalOf(url: string, word: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/skills/search?q=${word}`)
  const { pagination } = (await response.json()) as { pagination: { total: number } }
  return pagination.total
}
