import { describe, expect, test } from '@jest/globals'
import { digestOf, searchedText } from '../../shared/text/skill-text.js'
import { aLock } from '../support/a-lock.js'
import { aSkill, documentOf } from '../support/factories.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { sharedTestApp, startTestApp, type TestAppOptions } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const text =
  '---\nname: mail\n---\n# Mail\n\nAsk someone@private.example & <others>. It **staples** the [quagmire](https://a.example). End.\n'
const digest = digestOf(text)
const description = 'Sends letters'
const skills = [
  aSkill({ owner: 'acme', repo: 'mail', description, digest }),
  aSkill({ owner: 'acme', repo: 'quagmire', description, digest }),
  aSkill({ owner: 'acme', repo: 'other', description }),
]

/** Keeps the texts, and indexes them. */
const withTexts = async ({ stores }: { stores: Parameters<NonNullable<TestAppOptions['replace']>>[0] }) => {
  const published = skills.slice(0, 2)
  const files = { files: [], total: 0 }
  await stores.catalog.keepContents(published.map(({ id }) => ({ id, digest, text, files })))
  const publish = published.map((skill) => ({ ...documentOf(skill), text: searchedText(text) }))
  await stores.replicas[0].apply({ publish, remove: [] }, 'live', aLock())
}

const search = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}&mode=keyword${rest}`
const passage = 'Mail Ask (address removed) & <others>. It staples the quagmire. End.'

describe('the passage of a hit', () => {
  const shared = sharedTestApp({ skills }, withTexts)

  test('is the part of the text that has the words of the query', async () => {
    const { body } = await shared().get(search('stapling'))
    expect(body).toMatchObject({
      data: [
        { id: 'acme/quagmire', passage },
        { id: 'acme/mail', passage },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('highlights')
    expect(JSON.stringify(body)).not.toContain('textWords')
  })

  test('is null where the fields of the skill have the words, and in every hit', async () => {
    expect((await shared().get(search('quagmire'))).body).toMatchObject({
      data: [
        { id: 'acme/quagmire', passage: null },
        { id: 'acme/mail', passage },
      ],
    })
    expect((await shared().get(search('letters', '&fields=id'))).body).toMatchObject({
      data: [{ passage: null }, { passage: null }, { passage: null }],
    })
  })

  test('is highlighted as HTML, escaped', async () => {
    const { body } = await shared().get(search('stapling quagmire', '&highlight=true&limit=2'))
    const html = 'Mail Ask (address removed) &amp; &lt;others&gt;. It <em>staples</em> the <em>quagmire</em>. End.'
    expect(body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ id: 'acme/mail', highlights: expect.objectContaining({ passage: html }) }),
      ]),
    })
    expect((await shared().get(search('letters', '&highlight=true'))).body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ highlights: expect.objectContaining({ passage: null }) }),
      ]),
    })
  })

  test('is in the result of the tool, and on the page of the explorer', async () => {
    const client = await mcpOverHttp(shared().url)
    const { text: shown, result } = await callTool(client, 'search_skills', { q: 'stapling', mode: 'keyword' })
    expect(shown).toContain(`\n  In its SKILL.md: ${passage}`)
    expect(result).toMatchObject({ data: [{ passage }, { passage }] })

    const page = await shared().get('/?q=stapling', { Accept: 'text/html' })
    expect(page.text).toContain('It <em>staples</em> the quagmire.')
  })
})

test.each([
  ['fails', () => Promise.reject(new Error('broken'))],
  ['does not answer', () => new Promise<never>(() => undefined)],
])('a search is answered without passages when the catalog %s', async (_, findPassages) => {
  const app = await startTestApp({
    skills,
    replace: (stores) => ({ catalog: withOverrides(stores.catalog, { findPassages }) }),
  })
  await withTexts(app)
  const { status, body } = await app.get(search('stapling'))
  expect([status, body]).toMatchObject([200, { data: [{ passage: null }, { passage: null }] }])
})
