import { Agent, get } from 'node:http'
import { generateSkills } from '../../services/indexer/seed/generate-skills.js'
import { tokenize } from '../../shared/text/analyze.js'

/** What people type: a word, two words, three, the beginning of one, one with a typo; all from the records. */
export function makeQueries(size: number, searches: number): string[] {
  const texts = [...generateSkills(Math.min(size, 10_000), 1)].map((skill) =>
    tokenize(`${skill.name} ${skill.description}`).map((token) => token.text),
  )
  return Array.from({ length: searches }, (_, n) => {
    const words = texts[(n * 7_919) % texts.length] ?? []
    const word = (at: number) => words[(n + at) % words.length] ?? 'pdf'
    switch (n % 5) {
      case 0:
        return word(0)
      case 1:
        return `${word(0)} ${word(1)}`
      case 2:
        return `${word(0)} ${word(1)} ${word(3)}`
      case 3:
        return word(0).slice(0, 3)
      default:
        return `${word(1)} ${word(0).slice(0, 2)}${word(0).slice(3)}`
    }
  })
}

/** Sends the queries one after the other. @returns the milliseconds of each, ascending */
export async function serial(url: string, queries: string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  for (const query of queries) {
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      get(`${url}/api/v1/skills/search?q=${encodeURIComponent(query)}`, { agent }, (answer) => {
        if (answer.statusCode !== 200) {
          reject(new Error(`${query}: ${answer.statusCode}`))
        }
        answer.resume().on('end', resolve)
      }).on('error', reject)
    })
    times.push(performance.now() - startedAt)
  }
  agent.destroy()
  return times.sort(ascending)
}

/** Sends all queries, with a number of them in parallel. @returns the total time in milliseconds */
export async function atOnce(url: string, queries: string[], lanes: number): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      serial(
        url,
        queries.filter((_query, place) => place % lanes === lane),
      ),
    ),
  )
  return performance.now() - startedAt
}

const ascending = (a: number, b: number): number => a - b
