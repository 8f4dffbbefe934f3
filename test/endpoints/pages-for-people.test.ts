import { describe, expect, test } from '@jest/globals'
import { type ProblemCode, problemCodes } from '../../services/query/request/problem-codes.js'
import { problemError } from '../../services/query/request/problems.js'
import { explainProblem } from '../../services/query/web/text/format.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

/** Words of the API, which a reader of pages need not know. */
const forPrograms =
  /\b(?:parameters?|limit|cursor|exports?|endpoints?|quota|catalog_|api|json|retry-after|utf-?8|percent-encod\w*|header)\b|\/api\/|[a-z]_[a-z]/i

/** What a page says and does: its texts, the links in its content, and its title. */
function readPage(html: string) {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? []
  const plain = (text: string) =>
    text
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&amp;', '&')
      .replaceAll(/\s+/g, ' ')
      .trim()
  return {
    text: plain(main.replaceAll(/<input[^>]*>/g, '')),
    title: plain(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? ''),
    description: /name="description" content="([^"]*)"/.exec(html)?.[1] ?? '',
    heading: plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(main)?.[1] ?? ''),
    links: [...main.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => String(href).replaceAll('&amp;', '&')),
  }
}

const asReader = { Accept: 'text/html' }

describe('an error of a page', () => {
  const skills = ['pdf-tables', 'gone'].map((repo) => aSkill({ owner: 'acme', repo, topics: ['pdf'] }))
  const shared = sharedTestApp({ skills }, async (api) => {
    await api.stores.catalog.remove('skills', ['acme/gone'])
  })

  test.each([
    ['/skills/acme/pdf-tabels', 404, 'There is no skill of this name', '/skills/acme/pdf-tables'],
    ['/skills/nobody/nothing', 404, 'There is no skill of this name', '/?q=nobody+nothing'],
    ['/skills/acme/gone', 410, 'This skill was removed', '/?q=acme+gone'],
    ['/skills/a%20b/c', 400, 'This address cannot be read', null],
    ['/organizations/nobody', 404, 'There is no organization of this name', '/?q=nobody'],
    ['/organizations/acme?page=0', 400, 'This address cannot be read', '/organizations/acme'],
    ['/organizations/acme?sort=best&page=2', 400, 'This address cannot be read', '/organizations/acme?page=2'],
    ['/topics/nothing', 404, 'There is no topic of this name', '/?q=nothing'],
    ['/?q=pdf&page=abc', 400, 'This address cannot be read', '/?q=pdf'],
    ['/?q=pdf&p%61ge=abc', 400, 'This address cannot be read', '/?q=pdf'],
    ['/?q=pdf&page=501', 400, 'This address cannot be read', '/?q=pdf'],
    ['/?sort=best&license=MIT', 400, 'This address cannot be read', '/?license=MIT'],
    ['/?q=100%', 400, 'This address cannot be read', '/'],
    ['/?q=a&q=b', 400, 'This address cannot be read', '/'],
    [`/?${'topic=a&'.repeat(30)}q=x`, 400, 'This address cannot be read', '/?q=x'],
    ['/nowhere', 404, 'There is nothing at this address', null],
    ['/sitemaps/9.xml', 404, 'There is nothing at this address', null],
    ['/100%', 400, 'This address cannot be read', null],
    [`/${'a'.repeat(9_000)}`, 414, 'This address is too long', null],
  ])('%.60s speaks to people, and leads on', async (path, status, heading, link) => {
    const answer = await shared().get(path, asReader)
    const page = readPage(answer.text)

    expect({ path, status: answer.status, heading: page.heading }).toEqual({ path, status, heading })
    expect(page.title).toBe(`${heading} – Skill Catalog`)
    for (const said of [page.text.replace(/number [\da-f-]{36}/, ''), page.description]) {
      expect(said).not.toMatch(forPrograms)
    }
    if (link !== null) {
      expect(page.links).toContain(link)
      expect((await shared().get(link, asReader)).status).toBe(200)
    }
  })

  test('by every code that a page can get has words of its own', async () => {
    for (const [code, { status }] of Object.entries(problemCodes)) {
      const { title, text } = explainProblem(status, code)
      expect({ code, title, text }).not.toEqual({ code, title: expect.stringMatching(forPrograms), text })
      expect({ code, text }).not.toEqual({ code, text: expect.stringMatching(forPrograms) })
    }
  })

  test.each(['catalog_unavailable', 'query_timeout', 'overloaded'] satisfies ProblemCode[])(
    'of a part that is down speaks to people: %s',
    async (code) => {
      const api = await startTestApp({
        replace: ({ catalog }) => ({
          catalog: withOverrides(catalog, {
            listSkills: () =>
              Promise.reject(problemError(code, 'The list takes too long.', { headers: { 'Retry-After': '5' } })),
          }),
        }),
      })

      const { status, text } = await api.get('/?sort=name', asReader)

      expect(status).toBe(503)
      expect(readPage(text).text).not.toMatch(forPrograms)
      expect(readPage(text).text).toContain('5 seconds')
    },
  )

  test('of our own fault speaks to people, and has a number to report', async () => {
    const api = await startTestApp({
      replace: ({ catalog }) => ({
        catalog: withOverrides(catalog, {
          findSkill: (async () => ({ state: 'confused' })) as unknown as typeof catalog.findSkill,
        }),
      }),
    })

    const { status, text, headers } = await api.get('/skills/acme/kit@pdf', { ...asReader, 'X-Request-Id': 'r1' })

    expect({ status, id: headers['x-request-id'] }).toEqual({ status: 500, id: 'r1' })
    expect(readPage(text)).toMatchObject({
      heading: 'Something went wrong',
      text: expect.stringContaining('number r1'),
    })
  })
})

describe('a page after the last one', () => {
  const skills = Array.from({ length: 25 }, (_, place) => aSkill({ repo: `pdf-${place}`, topics: ['pdf'] }))
  const shared = sharedTestApp({ skills })

  test.each([
    ['/?q=pdf&page=3', 3, '/?q=pdf&page=2'],
    ['/?q=pdf&page=50', 50, '/?q=pdf&page=2'],
    ['/?q=pdf&page=99', 99, '/?q=pdf&page=2'],
    ['/?topic=pdf&page=500', 500, '/?topic=pdf&page=2'],
    ['/topics/pdf?page=9', 9, '/topics/pdf?page=2'],
    ['/organizations/acme?sort=name&page=9', 9, '/organizations/acme?sort=name&page=2'],
  ])('%s leads to the last one', async (path, number, last) => {
    const answer = await shared().get(path, asReader)
    const page = readPage(answer.text)

    expect(answer.status).toBe(200)
    expect(page.text).toContain(`There is no page ${number} There are 2 pages.`)
    expect(page.text).toMatch(/\b25 (?:skills|repositories)\b/)
    expect(page.text).not.toMatch(/No skill matches/)
    expect(page.text.replace(/The same, as JSON.*/, '')).not.toMatch(forPrograms)
    expect(page.links).toContain(last)
  })

  test('a search without hits has none of them', async () => {
    const { text } = await shared().get('/?q=qqqzzz&page=2', asReader)

    expect(readPage(text).text).toContain('No skill matches')
    expect(readPage(text).text).not.toMatch(/There is no page|Page \d/)
  })

  test.each([
    ['/?q=qqqzzz', ['/?sort=stars']],
    ['/?q=qqqzzz&topic=pdf', ['/?q=qqqzzz', '/?sort=stars']],
    ['/?topic=qqqzzz', ['/?sort=stars']],
  ])('%s, without hits, leads to more of them', async (path, links) => {
    const { text } = await shared().get(path, asReader)

    const notice = /No skill matches.*?<\/p>/s.exec(text)?.[0] ?? ''
    expect([...notice.matchAll(/href="([^"]*)"/g)].map(([, link]) => link)).toEqual(links)
  })
})

test('the page of a repository lists its skills, each of which leads back to it', async () => {
  const named = (skill: string) => aSkill({ owner: 'Acme', repo: 'Kit', skill, name: `${skill} skill` })
  const api = await startTestApp({ skills: [named('pdf'), named('ocr')] })

  const page = readPage((await api.get('/skills/acme/kit', asReader)).text)
  const one = readPage((await api.get('/skills/acme/kit@pdf', asReader)).text)
  const moved = await api.get('/skills/Acme/Kit/PDF', asReader)
  const folded = await api.get('/skills/acme/kit/PDF_Tools', asReader)

  expect(page).toMatchObject({ heading: 'Kit', text: expect.stringContaining('Its 2 skills') })
  expect(page.links).toEqual(expect.arrayContaining(['/skills/acme/kit@ocr', '/skills/acme/kit@pdf']))
  expect(one).toMatchObject({ heading: 'pdf skill', title: 'pdf skill – acme/kit@pdf' })
  expect(one.links).toContain('/skills/acme/kit')
  expect([moved.status, moved.headers['location']]).toEqual([308, '/skills/acme/kit@pdf'])
  expect(folded.headers['location']).toBe('/skills/acme/kit@pdf-tools')
})

test('a catalog without stars, times and addresses calls no skill the most starred, and counts all licences', async () => {
  const unknown = { stars: null, url: null, createdAt: null, updatedAt: null }
  const named = Array.from({ length: 120 }, (_, place) =>
    aSkill({ owner: 'acme', repo: 'kit', skill: `part-${place}`, license: 'MIT', ...unknown }),
  )
  const api = await startTestApp({
    skills: [...named, aSkill({ owner: 'zeta', repo: 'tool', license: 'ISC', ...unknown })],
  })
  const read = async (path: string) => readPage((await api.get(path, asReader)).text)

  const first = await read('/')

  expect(first.text).toContain('Skills All by name kit acme/kit@part-0')
  expect(first.text).not.toContain('Most starred')
  expect(first.links).toContain('/?sort=name')
  expect((await read('/statistics')).text).toMatch(/MIT 120 ISC 1/)
  expect((await read('/skills/zeta/tool')).text).toContain('does not know the address of its repository')
})
