import { Meilisearch, type SearchParams } from 'meilisearch'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import type { Skill } from '../../shared/records/skill.js'
import { embeddedText } from '../../shared/text/embedded-text.js'
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
 * @returns the engines to compare with: its default strategy, the one that drops the most frequent words first, and its
 * hybrid search with the vectors that this catalog uses by default
 */
export async function startRawMeilisearch(folder: string, skills: RelevanceSkill[]): Promise<Engine[]> {
  const { url, child } = await servers.meilisearch.start(folder)
  endsWithUs(child)
  const client = new Meilisearch({ host: url, apiKey: meiliKey })
  await client.createIndex('raw', { primaryKey: 'id' }).waitTask()
  const index = client.index<{ owner: string; repo: string }>('raw')
  const embedder = new BuiltInEmbedder()
  const tasks = [
    await index.updateSearchableAttributes(['name', 'repo', 'owner', 'description', 'topics']),
    await index.updateEmbedders({ builtIn: { source: 'userProvided', dimensions: await embedder.dimensions() } }),
  ]
  for (let start = 0; start < skills.length; start += batch) {
    const some = skills.slice(start, start + batch)
    const vectors = await embedder.embed(
      some.map((skill) => embeddedText(skill as Skill)),
      'document',
    )
    tasks.push(
      await index.addDocuments(
        some.map((skill, at) => ({ ...documentOf(skill), _vectors: { builtIn: [...(vectors[at] ?? [])] } })),
      ),
    )
  }
  for (const task of tasks) {
    const { status, error } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`Meilisearch did not index the records: ${error?.message}`)
    }
  }
  const engine = (name: string, settings: (text: string) => Promise<SearchParams>): Engine => ({
    name,
    search: async (text) => {
      const { hits } = await index.search(text, { limit: depth, ...(await settings(text)) })
      return hits.map(({ owner, repo }) => `${owner}/${repo}`.toLowerCase())
    },
  })
  return [
    engine('Meilisearch', async () => ({})),
    engine('Meilisearch frequency', async () => ({ matchingStrategy: 'frequency' })),
    engine('Meilisearch hybrid', async (text) => ({
      hybrid: { embedder: 'builtIn', semanticRatio: 0.5 },
      vector: [...((await embedder.embed([text], 'query'))[0] ?? [])],
    })),
  ]
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
