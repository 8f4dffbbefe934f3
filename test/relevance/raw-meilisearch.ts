import { type Index, Meilisearch, type SearchParams } from 'meilisearch'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import type { Skill } from '../../shared/records/skill.js'
import { embeddedText } from '../../shared/text/skill-words.js'
import { fillIndex } from '../bench/raw-meilisearch.js'
import { meiliKey, startServer } from '../support/run-servers.js'
import type { Engine } from './engine.js'
import { depth } from './metrics.js'

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
  skills: Skill[],
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
  async function* withVectors() {
    for (const some of inBatches(skills)) {
      const embedded = await embedder.embed(some.map(embeddedText), 'document')
      yield some.map((skill, at) => ({ ...documentOf(skill), _vectors: { builtIn: [...(embedded[at] ?? [])] } }))
    }
  }
  const settings = { searchableAttributes: [...searched], embedders: vectors }
  const raw = await fillIndex<RawDocument>(client, 'raw', 'id', settings, withVectors())
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
  const documents = inBatches(skills.map((skill) => ({ ...documentOf(skill), text: texts.get(skill.id) ?? null })))
  const searchable = { searchableAttributes: [...searched, 'text'] }
  const withTexts = await fillIndex<RawDocument>(client, 'texts', 'id', searchable, documents)
  return [...engines, ...ofIndex('Meilisearch texts', withTexts)]
}

const inBatches = <T>(list: T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / batch) }, (_, at) => list.slice(at * batch, (at + 1) * batch))

type RawDocument = ReturnType<typeof documentOf> & { text?: string | null; _vectors?: Record<string, number[]> }

const documentOf = ({ id, name, repo, owner, description, topics }: Skill) => ({
  // A key of Meilisearch has no slash.
  id: Buffer.from(id).toString('hex'),
  name,
  repo,
  owner,
  description,
  topics,
})
