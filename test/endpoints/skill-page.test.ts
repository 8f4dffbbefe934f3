import { expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { sharedTestApp } from '../support/test-app.js'

const commit = '0123456789abcdef0123456789abcdef01234567'
const url = 'https://github.com/Acme/Kit'
const text = `---
name: pdf
---
# Read a PDF
See [the notes](references/notes.md) and ![a picture](https://pictures.example/a.png). Ask jo@people.example.
<script>alert('${'x'.repeat(100)}')</script>
`
const long = `# Long\n${'A line of the text.\n'.repeat(10_000)}`

const alone = '---\nname: alone\ndescription: All of it is here.\n---\nRead it.\n'

const named = (skill: string, path: string | null, content: string | null) =>
  aSkill({
    owner: 'Acme',
    repo: 'Kit',
    skill,
    name: `${skill} skill`,
    description: `${skill} ${'d'.repeat(300)}`,
    path,
    url,
    commit,
    digest: content === null ? null : digestOf(content),
  })

const shared = sharedTestApp(
  {
    skills: [
      named('pdf', 'skills/pdf', text),
      named('long', null, long),
      named('bare', 'skills/bare', null),
      aSkill({ owner: 'solo', repo: 'alone', digest: digestOf(alone), url: 'https://code.example/solo/alone' }),
      ...Array.from({ length: 300 }, (_, place) => aSkill({ owner: 'acme', repo: 'many', skill: `s-${place}` })),
    ],
  },
  ({ stores }) =>
    keepContents(stores.catalog, [
      {
        id: 'acme/kit@pdf',
        digest: digestOf(text),
        text,
        files: {
          files: [
            { path: 'SKILL.md', size: text.length, digest: null },
            ...Array.from({ length: 20 }, (_, place) => ({ path: `scripts/${place}.py`, size: 1_500, digest: null })),
          ],
          total: 600,
        },
      },
      { id: 'acme/kit@long', digest: digestOf(long), text: long, files: { files: [], total: 0 } },
      { id: 'solo/alone', digest: digestOf(alone), text: alone, files: { files: [], total: 1 } },
    ]),
)

const pageOf = async (path: string): Promise<{ html: string; policy: unknown; plain: string }> => {
  const { status, text: html, headers } = await shared().get(path, { Accept: 'text/html' })
  expect({ path, status }).toEqual({ path, status: 200 })
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? []
  const plain = main.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  return { html, policy: headers['content-security-policy'], plain }
}

test('a skill shows its text as safe HTML, once, below its own policy', async () => {
  const { html, policy } = await pageOf('/skills/acme/kit@pdf')

  expect(html).toContain('<h3 id="text-read-a-pdf">Read a PDF</h3>')
  expect(html).toContain(`<a href="${url}/blob/${commit}/skills/pdf/references/notes.md" rel="nofollow ugc noopener">`)
  expect(html).toContain('<a href="https://pictures.example/a.png" rel="nofollow ugc noopener">a picture</a>')
  expect(html).not.toMatch(/<script>|<img|jo@people/)
  expect(html.split('x'.repeat(100))).toHaveLength(2)
  expect(policy).toBe((await pageOf('/')).policy)
})

test('it shows its tokens, its files, its place, and the line that installs it', async () => {
  const { html, plain } = await pageOf('/skills/acme/kit@pdf')

  expect(plain).toContain('About 67 tokens')
  expect(plain).toContain('600 files')
  expect(plain).toContain('scripts/0.py 1.5 kB')
  expect(plain).toContain('588 more')
  expect(plain).toContain('npx skills add Acme/Kit@pdf')
  expect(plain).toContain('2 other skills in this repository bare skill long skill')
  // One of each of its other repositories.
  expect(plain).toContain('More of Acme many All of its skills')
  for (const href of [
    `${url}/tree/${commit}/skills/pdf`,
    `${url}/commit/${commit}`,
    `${url}/blob/${commit}/skills/pdf/scripts/0.py`,
    '/api/v1/skills/acme/kit@pdf/SKILL.md',
    '/skills/acme/kit',
  ]) {
    expect(html).toContain(`href="${href}"`)
  }
})

test('a skill of which the catalog has all can be installed from it', async () => {
  const line = (id: string) => `npx skills add ${shared().url}/skills/${id}`

  expect((await pageOf('/skills/solo/alone')).plain).toContain(line('solo/alone'))
  const { plain } = await pageOf('/skills/acme/kit@pdf')
  expect(plain).not.toContain(line('acme/kit@pdf'))
  expect(plain).toContain('This catalog keeps its SKILL.md only, so that clients cannot install it from here.')
  expect((await pageOf('/skills/acme/kit@long')).plain).toContain(
    'does not begin with a name and a description as the Agent Skills',
  )
  expect((await pageOf('/skills/acme/kit@bare')).plain).not.toContain('from here')
})

test('of a long text the page shows the beginning, and where all of it is', async () => {
  const { html, plain } = await pageOf('/skills/acme/kit@long')

  expect(plain).toContain('The text goes on.')
  expect(html.length).toBeLessThan(120_000)
  expect(html).toContain('<a href="/api/v1/skills/acme/kit@long/SKILL.md">Read all of it</a>')
})

test('where no text is kept, the page leads to the repository', async () => {
  const { plain } = await pageOf('/skills/acme/kit@bare')

  expect(plain).toContain('This catalog keeps no text of it. Read it in its repository .')
})

test('a repository shows all of its skills, and the line that installs them', async () => {
  const few = await pageOf('/skills/acme/kit')
  const many = await pageOf('/skills/acme/many')

  expect(few.plain).toContain('Its 3 skills')
  expect(few.plain).toContain('pdf skill skills/pdf')
  expect(few.plain).toContain('npx skills add Acme/Kit ')
  expect(few.plain).not.toContain('d'.repeat(200))
  expect(many.plain).toContain('Its 300 skills')
  for (const place of [0, 150, 299]) {
    expect(many.html).toContain(`<a dir="auto" href="/skills/acme/many@s-${place}">`)
  }
})

test.each(['acme/kit', 'acme/kit@pdf', 'solo/alone'])('every address to copy on the page of %s answers', async (id) => {
  const { plain } = await pageOf(`/skills/${id}`)
  const addresses = plain.match(/(?<=curl )http\S+/g) ?? []

  expect(addresses).toContain(`${shared().url}/api/v1/skills/${id}`)
  for (const address of addresses) {
    expect({ address, status: (await fetch(address)).status }).toEqual({ address, status: 200 })
  }
})

test('the head of a repository says that it is one', async () => {
  expect((await pageOf('/skills/acme/many')).html).toContain('content="many, a repository of skills by acme."')
})

test('over MCP it comes with the line that installs it', async () => {
  const client = await mcpOverHttp(shared().url)

  const { text: said } = await callTool(client, 'get_skill', { id: 'acme/kit@pdf' })

  expect(said).toContain('Install: npx skills add Acme/Kit@pdf')
})
