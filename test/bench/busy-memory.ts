import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importSkills } from './embedded-catalog.js'
import type { Memory } from './footprint.js'
import type { RunningProcess } from './processes.js'
import { firstOf, seededSkills } from './record-sets.js'
import { type Lane, searchTimes } from './search-system.js'

/** Skills that are imported meanwhile. */
const imported = 5_000

const watchEveryMs = 50

/**
 * The highest memory of a service that is searched while 5,000 changed skills are imported and an export is downloaded.
 *
 * @param size seeded skills of the catalog in this folder
 */
export async function busyMemory(
  service: RunningProcess,
  { size, folder, lane, queries }: { size: number; folder: string; lane: Lane; queries: string[] },
): Promise<Memory> {
  const importing = importSkills(folder, changedSkills(size, folder))
  const downloading = download(`${service.url}/api/v1/export?type=skills&format=json`)
  let highest = service.memory()
  const watching = setInterval(() => {
    const memory = service.memory()
    highest = memory.residentBytes > highest.residentBytes ? memory : highest
  }, watchEveryMs)
  await Promise.all([searchTimes(lane, queries), importing, downloading]).finally(() => clearInterval(watching))
  return highest
}

/** A file with the first skills of a catalog, each with another description. */
function changedSkills(size: number, folder: string): string {
  const path = join(folder, 'again.ndjson')
  const lines = Array.from(firstOf(seededSkills(size), imported), (skill) =>
    JSON.stringify({ ...skill, description: `${skill.name}, described again` }),
  )
  writeFileSync(path, lines.join('\n'))
  return path
}

async function download(url: string): Promise<void> {
  const answer = await fetch(url)
  await answer.arrayBuffer()
  if (!answer.ok) {
    throw new Error(`${url} was answered with ${answer.status}`)
  }
}
