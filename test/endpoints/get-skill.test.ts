import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'

const paths = ['/api/skills', '/api/v1/skills']

describe.each(paths)('%s/:owner/:repo', (path) => {
  test('finds a skill in any case', async () => {
    const api = await startTestApp({ skills: [aSkill({ owner: 'Acme', repo: 'Pdf-Tools', stars: 5 })] })

    const answer = await api.get(`${path}/aCME/PDF-tools`)

    expect(answer).toMatchObject({ status: 200, body: { data: { id: 'acme/pdf-tools', owner: 'Acme', stars: 5 } } })
    expect(answer.headers['link']).toBe(
      `<https://creativecommons.org/licenses/by/4.0/>; rel="license", <${api.url}/api/v1/skills/acme/pdf-tools>; rel="canonical"`,
    )
  })

  test('redirects a former name to the present one', async () => {
    const api = await startTestApp({ skills: [aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old'] })] })

    const answer = await api.get(`${path}/Acme/Old`)

    expect(answer).toMatchObject({
      status: 308,
      body: { status: 308, code: 'moved', detail: 'acme/old was renamed to acme/new.' },
    })
    expect(answer.headers['location']).toBe(`${path}/acme/new`)
    expect(answer.headers['cache-control']).toBe('public, max-age=60')
  })

  test('says that a skill was removed, and when', async () => {
    const api = await startTestApp({
      skills: [aSkill({ repo: 'pdf', state: 'removed', removedAt: '2026-01-05T10:00:00.000Z' })],
    })

    expect(await api.get(`${path}/acme/pdf`)).toMatchObject({
      status: 410,
      body: { code: 'skill_removed', detail: 'acme/pdf was removed on 2026-01-05. Delete your copy of it.' },
    })
  })

  test('names near matches of an unknown one', async () => {
    const api = await startTestApp({
      skills: ['pdf-tools', 'pdf-tool', 'pdf-toolkit', 'pdftools'].map((repo) => aSkill({ repo })),
    })

    const answer = await api.get(`${path}/acme/pdf-toolz`)

    expect(answer).toMatchObject({
      status: 404,
      body: {
        code: 'skill_unknown',
        detail: 'There is no skill acme/pdf-toolz. Search for it with /api/v1/skills/search?q=acme%2Fpdf-toolz',
      },
    })
    const { suggestions } = answer.body as { suggestions: string[] }
    expect(suggestions).toHaveLength(3)
    expect(suggestions).toContain('acme/pdf-tools')
  })

  test('has no suggestions when nothing is similar', async () => {
    const api = await startTestApp()

    expect(await api.get(`${path}/acme/pdf`)).toMatchObject({ status: 404, body: { suggestions: [] } })
  })

  test('does not reveal a hidden skill', async () => {
    const hidden = aSkill({ repo: 'secret', state: 'hidden', formerIds: ['acme/secret-before'] })
    const api = await startTestApp({ skills: [hidden] })
    const ofHidden = await api.get(`${path}/acme/secret`)

    expect(ofHidden).toMatchObject({ status: 404, body: { code: 'skill_unknown', suggestions: [] } })
    expect(await api.get(`${path}/acme/secret-before`)).toMatchObject({ status: 404, body: { suggestions: [] } })
  })
})

test('returns no stored field outside the public shape', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'pdf', contact: 'eve@mail.example', crawl: { at: 1 } })] })

  const answer = await api.get('/api/skills/acme/pdf')

  expect(answer.text).not.toMatch(/eve@mail|crawl|formerIds|state/)
})
