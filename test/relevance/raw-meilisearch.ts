import { Meilisearch, type SearchParams } from 'meilisearch'
import { endsWithUs } from '../soak/children.js'
import { meiliKey, servers } from '../support/run-servers.js'
import type { Engine } from './engine.js'
import { depth } from './query-set.js'
import type { RelevanceSkill } from './words.js'

const batch = 5_000

/**
 * Starts a Meilisearch with the same records and its default settings, except for the list of the searched fields.
 *
 * @param folder an empty one for its data
 * @returns the engines to compare with: its default strategy, and the one that drops the most frequent words first
 */
export async function startRawMeilisearch(folder: string, skills: RelevanceSkill[]): Promise<Engine[]> {
  const { url, child } = await servers.meilisearch.start(folder)
  endsWithUs(child)
  const client = new Meilisearch({ host: url, apiKey: meiliKey })
  await client.createIndex('raw', { primaryKey: 'id' }).waitTask()
  const index = client.index<{ owner: string; repo: string }>('raw')
  const tasks = [await index.updateSearchableAttributes(['name', 'repo', 'owner', 'description', 'topics'])]
  for (let start = 0; start < skills.length; start += batch) {
    tasks.push(await index.addDocuments(skills.slice(start, start + batch).map(documentOf)))
  }
  for (const task of tasks) {
    const { status, error } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`Meilisearch did not index the records: ${error?.message}`)
    }
  }
  const engine = (name: string, settings: SearchParams): Engine => ({
    name,
    search: async (text) => {
      const { hits } = await index.search(text, { limit: depth, ...settings })
      return hits.map(({ owner, repo }) => `${owner}/${repo}`.toLowerCase())
    },
  })
  return [engine('Meilisearch', {}), engine('Meilisearch frequency', { matchingStrategy: 'frequency' })]
}

const documentOf = ({ id, name, repo, owner, description, topics }: RelevanceSkill) => ({
  // A key of Meilisearch has no slash.
  id: Buffer.from(id).toString('hex'),
  name,
  repo,
  owner,
  description,
  topics,
})
