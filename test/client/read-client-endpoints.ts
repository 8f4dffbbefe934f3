import assert from 'node:assert/strict'
import type { Client } from 'openapi-fetch'
import type { paths } from './skill-catalog.js'

/** Returns the body of a response of status 200. */
export async function read<Data>(answer: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  const { data, response } = await answer
  assert.equal(response.status, 200, response.url)
  assert(data !== undefined, response.url)
  return data
}

interface Shared {
  client: Client<paths>
  /** Of a skill of the sample that has a text and more files. */
  id: string
  owner: string
  repo: string
  name: string
}

/** How the endpoints for clients of others are read. */
export const readsOfClients = ({ client, id, owner, repo, name }: Shared) => ({
  '/api/search': async () => {
    const { skills } = await read(client.GET('/api/search', { params: { query: { q: name } } }))
    assert(skills.some(({ id: found }) => found.startsWith(`${id}/`)))
  },
  '/.well-known/agent-skills/index.json': async () => {
    const { skills } = await read(client.GET('/.well-known/agent-skills/index.json'))
    assert(skills.every(({ name, digest }) => name !== '' && digest.startsWith('sha256:')))
  },
  '/skills/{owner}/{repo}/.well-known/agent-skills/index.json': async () => {
    const { skills } = await read(
      client.GET('/skills/{owner}/{repo}/.well-known/agent-skills/index.json', { params: { path: { owner, repo } } }),
    )
    // It has more files than its text.
    assert.deepEqual(skills, [])
  },
  '/clawhub/api/v1/search': async () => {
    const { results } = await read(client.GET('/clawhub/api/v1/search', { params: { query: { q: name } } }))
    assert(results.some(({ slug, ownerHandle }) => slug === repo && ownerHandle === owner))
  },
  '/clawhub/api/v1/skills/{slug}': async () => {
    const params = { path: { slug: repo }, query: { ownerHandle: owner } }
    const answer = await read(client.GET('/clawhub/api/v1/skills/{slug}', { params }))
    assert.equal(answer.skill.displayName, name)
  },
  '/.well-known/clawhub.json': async () => {
    assert.match((await read(client.GET('/.well-known/clawhub.json'))).apiBase, /\/clawhub$/)
  },
  '/search': async () => {
    const query = { text: name, filter: { type: ['application/ai-skill'], tags: 'pdf' } }
    const { results } = await read(client.POST('/search', { body: { query, pageSize: 1 } }))
    const [hit] = results
    assert(hit !== undefined && hit.displayName === name && hit.score > 0 && hit.metadata?.['id'] === id)
    const refused = await client.POST('/search', { body: { query: { text: name }, pageSize: 0 } })
    assert.deepEqual([refused.error?.errorCode, refused.error?.code], ['INVALID_ARGUMENT', 'invalid_parameters'])
  },
  '/explore': async () => {
    const body = { query: { text: name }, resultType: { facets: [{ field: 'tags' as const, limit: 2 }] } }
    const { facets } = await read(client.POST('/explore', { body }))
    assert.equal(facets['tags']?.buckets.length, 2)
  },
  '/agents': async () => {
    const params = { query: { orderBy: 'metadata.stars DESC', pageSize: 1 } }
    const { items, pageToken } = await read(client.GET('/agents', { params }))
    assert(items[0]?.identifier !== undefined && typeof pageToken === 'string')
  },
  '/agents/{identifier}': async () => {
    const identifier = `urn:air:skill-catalog.invalid:skills:${id.replace('/', ':')}`
    const entry = await read(client.GET('/agents/{identifier}', { params: { path: { identifier } } }))
    assert.equal(entry.displayName, name)
  },
  '/.well-known/ard.json': async () => {
    const { entries } = await read(client.GET('/.well-known/ard.json'))
    assert.equal(entries[0]?.type, 'application/ai-registry+json')
  },
  '/.well-known/ai-catalog.json': async () => {
    assert.equal((await read(client.GET('/.well-known/ai-catalog.json'))).entries.length, 1)
  },
})
