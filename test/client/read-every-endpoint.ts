/**
 * Reads every endpoint of a running service with a client whose types were made from the service's own document:
 * openapi-fetch, with the types by openapi-typescript in `skill-catalog.ts` next to this file. `.ci/check-client` creates
 * them, compiles this file and runs it.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import { read, readsOfClients } from './read-client-endpoints.js'
import type { paths } from './skill-catalog.js'

const [baseUrl] = process.argv.slice(2)
assert(baseUrl !== undefined, 'The URL of a running service is missing.')
const client = createClient<paths>({ baseUrl })

/** The operations that have answered, and did not refuse. */
const answered = new Set<string>()
client.use({
  onResponse({ request, response, schemaPath }) {
    if (response.status < 400) {
      answered.add(`${request.method.toLowerCase()} ${schemaPath}`)
    }
  },
})

// Of the sample, and with a text.
const path = { owner: 'quillmoor', repo: 'pdf-table-lifter' }
const skill = (await read(client.GET('/api/v1/skills/{owner}/{repo}', { params: { path } }))).data
const { id, owner, repo, name } = skill
// `fields` may leave out all but the id, and so the types say.
assert(owner !== undefined && repo !== undefined && name !== undefined)

/** The newest dataset: the first one is written in the background. */
async function newestDataset(): Promise<{ snapshot: string; snapshotOfExports: string }> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const { data, datasets } = await read(client.GET('/api/v1/exports'))
    const [exported, dataset] = [data[0]?.snapshot, datasets[0]?.snapshot]
    if (exported !== undefined && dataset !== undefined) {
      return { snapshot: dataset, snapshotOfExports: exported }
    }
    assert(Date.now() < end, 'No dataset was written.')
  }
}

/** How each path of the document is read: a missing path does not compile. */
const reads: { [Path in keyof paths]: () => Promise<void> } = {
  '/api/skills': async () => {
    const { data } = await read(client.GET('/api/skills', { params: { query: { ids: `${id},a/b` } } }))
    assert.equal(data[0]?.id, id)
  },
  '/api/v1/skills': async () => {
    const first = await read(client.GET('/api/v1/skills', { params: { query: { limit: 2, sort: 'stars' } } }))
    const cursor = first.pagination?.nextCursor
    assert(typeof cursor === 'string')
    const second = await read(client.GET('/api/v1/skills', { params: { query: { limit: 2, sort: 'stars', cursor } } }))
    assert.notEqual(second.data[0]?.id, first.data[0]?.id)
  },
  '/api/skills/{owner}/{repo}': async () => {
    const { data } = await read(client.GET('/api/skills/{owner}/{repo}', { params: { path } }))
    assert.equal(data.id, id)
  },
  '/api/v1/skills/{owner}/{repo}': async () => {
    const query = { fields: ['name' as const, 'license' as const] }
    const { data } = await read(client.GET('/api/v1/skills/{owner}/{repo}', { params: { path, query } }))
    // @ts-expect-error the id is always there, and everything else may be missing
    const stars: number | null = data.stars
    assert.deepEqual([Object.keys(data), data.id, data.name, stars], [['id', 'name', 'license'], id, name, undefined])
    const missing = await client.GET('/api/v1/skills/{owner}/{repo}', { params: { path: { owner, repo: 'no-such' } } })
    assert.equal(missing.error?.code, 'skill_unknown')
    assert(missing.error.suggestions?.every((suggested) => suggested.includes('/')))
    assert.match(missing.response.headers.get('RateLimit') ?? '', /r=\d+/)
  },
  '/api/skills/{owner}/{repo}/related': async () => {
    const query = { limit: 2 }
    const { data } = await read(client.GET('/api/skills/{owner}/{repo}/related', { params: { path, query } }))
    assert(data.every((related) => related.id !== id && typeof related.similarity === 'number'))
  },
  '/api/v1/skills/{owner}/{repo}/related': async () => {
    const query = { limit: 2 }
    const { data } = await read(client.GET('/api/v1/skills/{owner}/{repo}/related', { params: { path, query } }))
    assert(data.every((related) => related.id !== id && typeof related.similarity === 'number'))
  },
  '/api/v1/skills/suggest': async () => {
    const query = { q: name.slice(0, 3) }
    const { data } = await read(client.GET('/api/v1/skills/suggest', { params: { query } }))
    assert(typeof data[0]?.name === 'string')
  },
  '/api/skills/{owner}/{repo}/SKILL.md': async () => {
    const text = await read(client.GET('/api/skills/{owner}/{repo}/SKILL.md', { params: { path }, parseAs: 'text' }))
    assert.match(text, /^---\nname: /)
  },
  '/api/v1/skills/{owner}/{repo}/SKILL.md': async () => {
    const text = await read(client.GET('/api/v1/skills/{owner}/{repo}/SKILL.md', { params: { path }, parseAs: 'text' }))
    assert.match(text, /^---\nname: /)
  },
  '/api/skills/{owner}/{repo}/files': async () => {
    const { data } = await read(client.GET('/api/skills/{owner}/{repo}/files', { params: { path } }))
    assert.equal(data.files[0]?.path, 'SKILL.md')
  },
  '/api/v1/skills/{owner}/{repo}/files': async () => {
    const { data } = await read(client.GET('/api/v1/skills/{owner}/{repo}/files', { params: { path } }))
    assert.equal(data.files.length, data.filesTotal)
  },
  '/api/skills/{owner}/{repo}/history': async () => {
    const { data } = await read(client.GET('/api/skills/{owner}/{repo}/history', { params: { path } }))
    assert.equal(data.id, id)
  },
  '/api/v1/skills/{owner}/{repo}/history': async () => {
    const { data } = await read(client.GET('/api/v1/skills/{owner}/{repo}/history', { params: { path } }))
    assert(data.days.every(({ stars }) => stars >= 0) && data.starsGained.days30 >= data.starsGained.days7)
  },
  '/api/v1/skills/search': async () => {
    const query = { q: name, facets: ['license' as const, 'owner' as const], highlight: true }
    const found = await read(client.GET('/api/v1/skills/search', { params: { query } }))
    const [hit] = found.data
    assert(hit !== undefined)
    // What the endpoint adds is there with `fields` as well: this compiles only if the types say so.
    const { score }: { score: number | null } = hit
    assert(typeof hit.stars === 'number' && typeof score === 'number')
    assert(typeof found.facets?.license?.[0]?.count === 'number' && (found.facets.owner?.length ?? 0) > 0)
    // More than a URL may have.
    const body = { q: `${'表'.repeat(1_900)} ${name}`, limit: 1, facets: ['license' as const], archived: false }
    const byPost = await read(client.POST('/api/v1/skills/search', { body }))
    assert.equal(byPost.query, body.q)
    assert(byPost.facets?.license !== undefined && byPost.pagination.limit === 1)
    const refused = await client.POST('/api/v1/skills/search', { body: { q: name, limit: 0 } })
    assert.equal(refused.error?.errors?.[0]?.parameter, 'limit')
  },
  '/api/v1/resolve': async () => {
    const { digest = null, version } = skill
    const body = { skills: [{ id, digest }, { id, digest: '0'.repeat(64) }, { id: 'no/such' }] }
    const { data } = await read(client.POST('/api/v1/resolve', { body }))
    assert.deepEqual(
      data.map(({ status, presentId }) => [status, presentId]),
      [
        ['current', id],
        ['outdated', id],
        ['unknown', null],
      ],
    )
    // As `npx skills` writes it.
    const lock = { [name]: { source: `${owner}/${repo}`, sourceType: 'github', computedHash: 'f'.repeat(64) } }
    const [ofLock] = (await read(client.POST('/api/v1/resolve', { body: { skills: lock } }))).data
    assert.deepEqual([ofLock?.name, ofLock?.reason, ofLock?.version], [name, 'folder_hash', version])
    const refused = await client.POST('/api/v1/resolve', { body: { skills: Array(201).fill({ id }) } })
    assert.equal(refused.error?.errors?.[0]?.parameter, 'skills')
  },
  ...readsOfClients({ client, id, owner, repo, name }),
  '/api/v1/stats': async () => {
    const { data } = await read(client.GET('/api/v1/stats'))
    assert(data.totals.skills > 0)
  },
  '/api/v1/stats/history': async () => {
    const { data } = await read(client.GET('/api/v1/stats/history', { params: { query: { days: 30 } } }))
    assert(data.every(({ date, skills }) => /^\d{4}-\d\d-\d\d$/.test(date) && skills > 0))
  },
  '/api/v1/export': async () => {
    const query = { type: 'skills', format: 'csv' } as const
    const csv = await read(client.GET('/api/v1/export', { params: { query }, parseAs: 'text' }))
    assert.match(csv, /^id,/)
  },
  '/api/v1/exports': async () => {
    const { data } = await read(client.GET('/api/v1/exports'))
    assert.match(data[0]?.files[0]?.sha256 ?? '', /^[0-9a-f]{64}$/)
  },
  '/api/v1/exports/{snapshot}/{file}': async () => {
    const { data } = await read(client.GET('/api/v1/exports'))
    const snapshot = data[0]?.snapshot
    assert(snapshot !== undefined)
    const params = { path: { snapshot, file: 'skills.json' as const } }
    const file = await read(client.GET('/api/v1/exports/{snapshot}/{file}', { params }))
    assert(typeof file === 'object' && file.type === 'skills' && typeof file.data[0]?.stars === 'number')
  },
  '/api/v1/exports/{snapshot}/manifest.json': async () => {
    const { snapshot } = await newestDataset()
    const params = { path: { snapshot } }
    const manifest = await read(client.GET('/api/v1/exports/{snapshot}/manifest.json', { params }))
    assert(manifest?.files.some(({ name }) => name === 'catalog.sqlite'))
  },
  '/api/v1/exports/{snapshot}/manifest.json.minisig': async () => {
    const { snapshotOfExports } = await newestDataset()
    const params = { path: { snapshot: snapshotOfExports } }
    const { error } = await client.GET('/api/v1/exports/{snapshot}/manifest.json.minisig', { params })
    assert.equal(error?.code, 'export_unknown', 'Without a key nothing is signed.')
  },
  '/api/v1/exports/{snapshot}/{table}.parquet': async () => {
    const { snapshot } = await newestDataset()
    const params = { path: { snapshot, table: 'skills' as const } }
    const file = await read(client.GET('/api/v1/exports/{snapshot}/{table}.parquet', { params, parseAs: 'text' }))
    assert.match(String(file), /^PAR1/)
  },
  '/api/v1/exports/{snapshot}/catalog.sqlite': async () => {
    const { snapshot } = await newestDataset()
    const params = { path: { snapshot } }
    const file = await read(client.GET('/api/v1/exports/{snapshot}/catalog.sqlite', { params, parseAs: 'text' }))
    assert.match(String(file), /^SQLite format 3/)
  },
  '/api/v1/changes': async () => {
    const { data, pagination } = await read(client.GET('/api/v1/changes', { params: { query: { limit: 1 } } }))
    assert(typeof data[0]?.sequence === 'number' && data[0].sequence <= pagination.nextSince)
  },
  '/': async () => {
    const index = await read(client.GET('/', { headers: { accept: 'application/json' } }))
    assert(typeof index === 'object' && index.openapi.endsWith('/openapi.json'))
  },
  '/docs': async () => {
    assert.match(await read(client.GET('/docs', { parseAs: 'text' })), /<html/)
  },
  '/docs/errors': async () => {
    assert.match(await read(client.GET('/docs/errors', { parseAs: 'text' })), /skill_unknown/)
  },
  '/openapi.json': async () => {
    await read(client.GET('/openapi.json'))
  },
  '/.well-known/api-catalog': async () => {
    await read(client.GET('/.well-known/api-catalog', { parseAs: 'json' }))
  },
  '/llms.txt': async () => {
    assert.match(await read(client.GET('/llms.txt', { parseAs: 'text' })), /^# /)
  },
  '/robots.txt': async () => {
    assert.match(await read(client.GET('/robots.txt', { parseAs: 'text' })), /User-agent/i)
  },
  '/feed.atom': async () => {
    assert.match(await read(client.GET('/feed.atom', { parseAs: 'text' })), /<feed/)
  },
  '/sitemap.xml': async () => {
    assert.match(await read(client.GET('/sitemap.xml', { parseAs: 'text' })), /<sitemapindex/)
  },
  '/sitemaps/{file}': async () => {
    const address = { params: { path: { file: '1.xml' } }, parseAs: 'text' } as const
    assert.match(await read(client.GET('/sitemaps/{file}', address)), /<urlset/)
  },
  '/skills/{owner}/{repo}': async () => {
    assert.match(await read(client.GET('/skills/{owner}/{repo}', { params: { path }, parseAs: 'text' })), /<html/)
  },
  '/skills/{owner}/{repo}/{skill}': async () => {
    const address = { params: { path: { ...path, skill: 'one' } }, redirect: 'manual', parseAs: 'text' } as const
    const { response } = await client.GET('/skills/{owner}/{repo}/{skill}', address)
    assert.deepEqual([response.status, response.headers.get('location')], [308, `/skills/${id}@one`])
  },
  '/organizations/{owner}': async () => {
    const address = { params: { path: { owner }, query: { sort: 'name' } }, parseAs: 'text' } as const
    assert.match(await read(client.GET('/organizations/{owner}', address)), /<html/)
  },
  '/topics/{topic}': async () => {
    const address = { params: { path: { topic: 'pdf' }, query: { page: 1 } }, parseAs: 'text' } as const
    assert.match(await read(client.GET('/topics/{topic}', address)), /<html/)
  },
  '/organizations': async () => {
    assert.match(await read(client.GET('/organizations', { parseAs: 'text' })), /<html/)
  },
  '/topics': async () => {
    assert.match(await read(client.GET('/topics', { parseAs: 'text' })), /<html/)
  },
  '/repositories': async () => {
    assert.match(await read(client.GET('/repositories', { parseAs: 'text' })), /<html/)
  },
  '/statistics': async () => {
    assert.match(await read(client.GET('/statistics', { parseAs: 'text' })), /<html/)
  },
  '/dataset': async () => {
    assert.match(await read(client.GET('/dataset', { parseAs: 'text' })), /<html/)
  },
}

for (const readOne of Object.values(reads)) {
  await readOne()
}
const document = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> }
const documented = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method} ${path}`),
)
// Without a key nothing is signed.
const unsigned = 'get /api/v1/exports/{snapshot}/manifest.json.minisig'
assert.deepEqual([...answered, unsigned].sort(), documented.sort())
process.stdout.write(`${documented.length} operations called\n`)
