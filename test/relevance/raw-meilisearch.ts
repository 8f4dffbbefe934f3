import { type Index, Meilisearch, type SearchParams, type Settings } from 'meilisearch'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import type { Skill } from '../../shared/records/skill.js'
import { embeddedText } from '../../shared/text/skill-words.js'
import { meiliKey, startServer } from '../support/run-servers.js'
import type { Engine } from './engine.js'
import { depth } from './query-set.js'
import type { RelevanceSkill } from './words.js'

const batch = 5_000

/** The members of a document that are searched. */
const searched = ['name', 'repo', 'owner', 'description', 'topics'] as const

/**
 * Starts a Meilisearch with the same records and its default settings, except for the list of the searched fields.
 *
 * @param folder for its data
 * @param texts of the skills that have one, by id
 * @returns the engines to compare with: its default strategy, the one that drops the most frequent words first, its hybrid
 * search with the vectors that this catalog uses by default, and where there are texts, the first two with them
 */
export async function startRawMeilisearch(
  folder: string,
  skills: RelevanceSkill[],
  texts: Map<string, string>,
): Promise<Engine[]> {
  const { url } = await startServer('meilisearch', folder)
  const client = new Meilisearch({ host: url, apiKey: meiliKey })
  const embedder = new BuiltInEmbedder()
  const engine = (
    name: string,
    index: Index<RawDocument>,
    settings: (text: string) => Promise<SearchParams>,
  ): Engine => ({
    name,
    search: async (text) => {
      const { hits } = await index.search(text, { limit: depth, ...(await settings(text)) })
      return hits.map(({ id }) => Buffer.from(id, 'hex').toString())
    },
  })
  const ofIndex = (name: string, index: Index<RawDocument>): Engine[] => [
    engine(name, index, async () => ({})),
    engine(`${name} frequency`, index, async () => ({ matchingStrategy: 'frequency' })),
  ]

  const vectors = { builtIn: { source: 'userProvided', dimensions: await embedder.dimensions() } } as const
  const raw = await fillIndex(
    client,
    'raw',
    { searchableAttributes: [...searched], embedders: vectors },
    skills,
    async (some) => {
      const embedded = await embedder.embed(
        some.map((skill) => embeddedText(skill as Skill)),
        'document',
      )
      return some.map((skill, at) => ({ ...documentOf(skill), _vectors: { builtIn: [...(embedded[at] ?? [])] } }))
    },
  )
  const engines = [
    ...ofIndex('Meilisearch', raw),
    engine('Meilisearch hybrid', raw, async (text) => ({
      hybrid: { embedder: 'builtIn', semanticRatio: 0.5 },
      vector: [...((await embedder.embed([text], 'query'))[0] ?? [])],
    })),
  ]
  if (texts.size === 0) {
    return engines
  }
  const withTexts = await fillIndex(
    client,
    'texts',
    { searchableAttributes: [...searched, 'text'] },
    skills,
    async (some) => some.map((skill) => ({ ...documentOf(skill), text: texts.get(skill.id) ?? null })),
  )
  return [...engines, ...ofIndex('Meilisearch texts', withTexts)]
}

/** Makes an index, and adds the documents of all skills. @throws when Meilisearch does not index them */
async function fillIndex(
  client: Meilisearch,
  name: string,
  settings: Settings,
  skills: RelevanceSkill[],
  documentsOf: (some: RelevanceSkill[]) => Promise<RawDocument[]>,
): Promise<Index<RawDocument>> {
  await client.createIndex(name, { primaryKey: 'id' }).waitTask()
  const index = client.index<RawDocument>(name)
  const tasks = [await index.updateSettings(settings)]
  for (let start = 0; start < skills.length; start += batch) {
    tasks.push(await index.addDocuments(await documentsOf(skills.slice(start, start + batch))))
  }
  for (const task of tasks) {
    const { status, error } = await client.tasks.waitForTask(task, { timeout: 600_000 })
    if (status !== 'succeeded') {
      throw new Error(`Meilisearch did not index the records: ${error?.message}`)
    }
  }
  return index
}

type RawDocument = ReturnType<typeof documentOf> & { text?: string | null; _vectors?: Record<string, number[]> }

const documentOf = ({ id, name, repo, owner, description, topics }: RelevanceSkill) => ({
  // A key of Meilisearch has no slash.
  id: Buffer.from(id).toString('hex'),
  name,
  repo,
  owner,
  description,
  topics,
})
