import { describe, expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'

const path = '/api/v1/skills'

describe('one skill', () => {
  test('finds a skill in any case', async () => {
    const api = await startTestApp({ skills: [aSkill({ owner: 'Acme', repo: 'Pdf-Tools', stars: 5 })] })

    const answer = await api.get(`${path}/aCME/PDF-tools`)

    expect(answer).toMatchObject({ status: 200, body: { data: { id: 'acme/pdf-tools', owner: 'Acme', stars: 5 } } })
    expect(answer.headers['link']).toBe(
      `<https://creativecommons.org/licenses/by/4.0/>; rel="license", <${api.url}/api/v1/skills/acme/pdf-tools>; rel="canonical"`,
    )
  })

  test('finds one of several skills of a repository', async () => {
    const api = await startTestApp({
      skills: [aSkill({ owner: 'Acme', repo: 'Kit', skill: 'pdf', path: 'skills/pdf' })],
    })

    for (const id of ['acme/kit@pdf', 'ACME/Kit%40PDF']) {
      const answer = await api.get(`${path}/${id}`)
      expect(answer).toMatchObject({
        status: 200,
        body: { data: { id: 'acme/kit@pdf', owner: 'Acme', repo: 'Kit', skill: 'pdf', path: 'skills/pdf' } },
      })
      expect(answer.body).not.toHaveProperty('skills')
    }
  })

  test('finds a repository by its skills, with what they have in common', async () => {
    const common = { owner: 'Acme', repo: 'Kit', license: 'MIT', url: 'https://github.com/Acme/Kit' }
    const api = await startTestApp({
      skills: [
        aSkill({ ...common, skill: 'pdf', stars: 7, topics: ['pdf', 'text'], updatedAt: '2026-01-02T00:00:00.000Z' }),
        aSkill({ ...common, skill: 'ocr', stars: 7, topics: ['text'], language: 'C', description: 'Reads pictures.' }),
      ],
    })

    const { status, body } = await api.get(`${path}/acme/kit`)

    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        ...{ id: 'acme/kit', owner: 'Acme', repo: 'Kit', name: 'Kit', description: null, topics: ['text', 'pdf'] },
        ...{
          license: 'MIT',
          language: null,
          homepage: null,
          url: 'https://github.com/Acme/Kit',
          stars: 7,
          forks: null,
        },
        ...{
          version: null,
          archived: false,
          createdAt: null,
          updatedAt: '2026-01-02T00:00:00.000Z',
          publishedAt: null,
        },
        indexedAt: expect.any(String),
        ...{ skill: null, path: null, commit: null, digest: null },
      },
      skills: [
        { id: 'acme/kit@ocr', skill: 'ocr', name: 'Kit', description: 'Reads pictures.', path: null },
        { id: 'acme/kit@pdf', skill: 'pdf', name: 'Kit', description: null, path: null },
      ],
      skillsTotal: 2,
    })
    expect(await api.get(`${path}/acme/kit@pfd`)).toMatchObject({
      status: 404,
      body: { suggestions: ['acme/kit@pdf', 'acme/kit@ocr'] },
    })
  })

  test('finds the own record of a repository together with its other skills', async () => {
    const api = await startTestApp({
      skills: [
        aSkill({ owner: 'acme', repo: 'kit', description: 'The kit.', path: '' }),
        aSkill({ owner: 'acme', repo: 'kit', skill: 'pdf' }),
        aSkill({ owner: 'acme', repo: 'other', formerIds: ['acme/kit'] }),
      ],
    })

    expect(await api.get(`${path}/acme/kit?fields=description`)).toMatchObject({
      status: 200,
      body: { data: { id: 'acme/kit', description: 'The kit.' }, skills: [{ id: 'acme/kit@pdf' }], skillsTotal: 1 },
    })
  })

  test('redirects from the former name of a repository whose skills were renamed', async () => {
    const api = await startTestApp({
      skills: [aSkill({ owner: 'Acme', repo: 'Tools', skill: 'pdf', formerIds: ['acme/kit@pdf'] })],
    })

    for (const [former, present] of [
      ['Acme/Kit', 'acme/tools'],
      ['acme/kit@pdf', 'acme/tools@pdf'],
    ]) {
      expect(await api.get(`${path}/${former}?fields=name`)).toMatchObject({
        status: 308,
        headers: { location: `${path}/${present}?fields=name` },
      })
    }
    expect(await api.get(`${path}/acme/ki`)).toMatchObject({ status: 404 })
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
})

const text = '---\nname: hidden\ndescription: Does it.\n---\nText.\n'
const digest = digestOf(text)
const removedAt = '2026-01-05T10:00:00.000Z'

/** Those that are gone have a text. */
const shared = sharedTestApp(
  {
    skills: [
      aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old'] }),
      aSkill({ owner: 'acme', repo: 'gone', state: 'removed', removedAt, digest }),
      aSkill({ owner: 'acme', repo: 'hidden', state: 'hidden', formerIds: ['acme/hidden-before'], digest }),
    ],
  },
  ({ stores }) =>
    keepContents(
      stores.catalog,
      ['acme/gone', 'acme/hidden'].map((id) => ({ id, digest, text, files: { files: [], total: 1 } })),
    ),
)

/** The addresses of a skill, with a star for its repository. */
const addresses = [
  ...['/api/skills', '/api/v1/skills'].flatMap((path) =>
    ['', '?fields=name', '/related?limit=3&fields=name', '/history', '/files', '/SKILL.md'].map(
      (rest) => `${path}/acme/*${rest}`,
    ),
  ),
  '/skills/acme/*',
  '/skills/acme/*/.well-known/agent-skills/index.json',
  '/clawhub/api/v1/skills/*?ownerHandle=acme',
]

test.each(addresses)('%s follows a rename; a removed, a hidden and an unknown skill are not there', async (address) => {
  const get = (repo: string) => shared().get(address.replace('*', repo))

  expect(await get('old')).toMatchObject({
    status: 308,
    headers: { location: address.replace('*', 'new'), 'cache-control': 'public, max-age=60' },
    body: { status: 308, code: 'moved', detail: 'acme/old was renamed to acme/new.' },
  })
  expect(await get('gone')).toMatchObject({
    status: 410,
    body: { code: 'skill_removed', detail: 'acme/gone was removed on 2026-01-05. Delete your copy of it.' },
  })
  for (const repo of ['hidden', 'hidden-before', 'never']) {
    const { status, body } = await get(repo)
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'skill_unknown' } })
    expect(Object(body).suggestions.filter((id: string) => id !== 'acme/new')).toEqual([])
  }
})
