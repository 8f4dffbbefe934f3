import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataOf, importSkills, startLoggingService, updateCatalog } from '../embedded-catalog.js'
import { compareLoads, startLoadProcess, toMeasure } from '../load.js'
import { firstOf, seededSkills, writeSeeded, writeSet } from '../record-sets.js'
import { median, type Part } from '../report.js'

const size = 20_000

const textBytes = 4_096

const runs = 3

const addresses = 200

const plain = { 'Accept-Encoding': 'identity' }

export const texts: Part = {
  name: 'texts',
  summary: `${size.toLocaleString('en')} seeded skills with a text of ${textBytes} bytes each, to the same without`,
  async measure(folder) {
    const [without, withTexts] = [join(folder, 'without'), join(folder, 'with')]
    mkdirSync(without, { recursive: true })
    mkdirSync(withTexts)
    const bare = await writeSeeded(size, without)
    const { path } = await writeSet(withTexts, skillsWithTexts(), String)
    const bareTimes: number[] = []
    const times: number[] = []
    for (let run = 0; run < runs; run += 1) {
      for (const own of [without, withTexts]) {
        rmSync(dataOf(own), { recursive: true, force: true })
      }
      bareTimes.push(await importSkills(without, bare.path))
      times.push(await importSkills(withTexts, path))
    }
    const perSecond = (measured: number[]) => Math.round((size / median(measured)) * 1_000)
    const diskOf = (own: string) => statSync(join(dataOf(own), 'catalog.db')).size / size
    const bytes = diskOf(withTexts) - diskOf(without)
    await updateCatalog(withTexts)
    const load = startLoadProcess()
    const service = await startLoggingService(withTexts)
    const sample = [...firstOf(seededSkills(size), addresses)]
    const requests = (last: string) => sample.map(({ id }) => ({ path: `/api/skills/${id}${last}`, headers: plain }))
    const loads = await compareLoads(load, [
      { process: service, requests: requests('') },
      { process: service, requests: requests('/SKILL.md') },
    ])
    return [
      {
        name: 'import, with the start of the command',
        value: median(bareTimes) / median(times),
        unit: '× without texts',
        detail: `${perSecond(times)} and ${perSecond(bareTimes)} records a second`,
      },
      {
        name: 'on disk for a text and its list of files',
        value: bytes,
        unit: 'bytes a skill',
        aim: { atMost: textBytes },
        detail: `${(bytes / textBytes).toFixed(2)} × the text`,
      },
      toMeasure('one text', 'one skill', loads, { atLeast: 0.5 }),
    ]
  },
}

/** Texts of sentences from the descriptions of all skills. */
function* skillsWithTexts(): Generator<object> {
  const skills = [...seededSkills(size)]
  for (const [place, skill] of skills.entries()) {
    let skillMd = `---\nname: ${skill.repo}\ndescription: ${skill.description}\n---\n\n# ${skill.name}\n`
    for (let next = place + 1; skillMd.length < textBytes; next += 97) {
      skillMd += `\n- ${skills[next % size]?.description}`
    }
    yield { ...skill, skillMd: skillMd.slice(0, textBytes) }
  }
}
