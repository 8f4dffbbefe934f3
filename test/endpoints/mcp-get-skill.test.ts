import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { keepContents } from '../support/keep-contents.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { exchange, openSocket } from '../support/raw-exchange.js'
import { sharedTestApp } from '../support/test-app.js'

const text = '---\nname: many\n---\nRead references/1.md first.\n'
const digest = digestOf(text)
const own = { path: 'SKILL.md', size: text.length, digest }

/** Files whose names look like lines of other skills, and are long. */
const files = Array.from({ length: 512 }, (_, number) => ({
  path: `references/${number}\n- fake/skill: ${'x'.repeat(1_000)}.md`,
  size: number % 2 === 0 ? 1_500 : null,
  digest: null,
}))

const shared = sharedTestApp(
  {
    skills: [
      aSkill({ owner: 'Acme', repo: 'PDF.tools' }),
      aSkill({ owner: 'acme', repo: 'pdf-tables', name: 'PDF tables' }),
      aSkill({ owner: 'acme', repo: 'present', formerIds: ['acme/former'] }),
      aSkill({ owner: 'acme', repo: 'tools', skill: 'pdf', formerIds: ['acme/toolbox@pdf'] }),
      aSkill({ owner: 'acme', repo: 'kit', skill: 'mail', name: 'mail', description: 'Sends mail.' }),
      aSkill({ owner: 'acme', repo: 'many', digest, url: 'https://github.com/acme/many', path: 'skills/many' }),
      aSkill({ owner: 'acme', repo: 'sole', digest }),
      ...Array.from({ length: 30 }, (_, number) =>
        aSkill({
          owner: 'acme',
          repo: 'shelf',
          skill: `tool-${number}`,
          description: `Sorts.\n${'x'.repeat(200)}`,
          stars: 1,
        }),
      ),
    ],
  },
  ({ stores }) =>
    keepContents(stores.catalog, [
      { id: 'acme/many', digest, text, files: { files: [own, ...files.slice(1)], total: 2_000 } },
      { id: 'acme/sole', digest, text, files: { files: [own], total: 1 } },
    ]),
)

const get = async (id: string) => callTool(await mcpOverHttp(shared().url), 'get_skill', { id })

test.each([
  'Acme/PDF.tools',
  'ACME/pdf.TOOLS',
  ' acme/pdf.tools/ ',
  'acme/pdf.tools.git',
  'https://github.com/Acme/PDF.tools',
  'https://github.com/Acme/PDF.tools.git',
  'https://github.com/acme/pdf.tools/tree/main/skills/pdf',
  'https://www.github.com/acme/pdf.tools/?tab=readme-ov-file#readme',
  'http://github.com/acme/pdf.tools/blob/main/SKILL.md',
  'https://gitlab.com/acme/pdf.tools/-/tree/main',
  'https://git.example/acme/pdf.tools.git',
  'https://catalog.example/skills/acme/pdf.tools',
  'https://catalog.example/api/v1/skills/acme/pdf.tools',
  'catalog://skills/acme/pdf.tools',
  'skill://acme/pdf.tools',
  'skill://acme/pdf.tools/read-pdf/SKILL.md',
  'https://skills.sh/acme/pdf.tools/read-pdf',
  'github:acme/pdf.tools',
])('takes %s', async (id) => {
  const { result } = await get(id)

  expect(result).toMatchObject({ data: { id: 'acme/pdf.tools' } })
})

test.each([
  'acme/kit@mail',
  'Acme/Kit/mail',
  'https://github.com/acme/kit/tree/main/skills/mail',
  'https://github.com/acme/kit/blob/main/skills/mail/SKILL.md',
  'https://catalog.example/skills/acme/kit@mail',
  'https://catalog.example/skills/acme/kit%40mail',
  'skill://acme/kit@mail',
  'skill://acme/kit/mail/SKILL.md',
  'https://skills.sh/acme/kit/mail',
  'https://www.skills.sh/Acme/Kit/mail/',
])('takes %s of a repository with several skills', async (id) => {
  const { result } = await get(id)

  expect(result).toMatchObject({ data: { id: 'acme/kit@mail', skill: 'mail' } })
})

test.each([
  ['Acme/Former', 'acme/present'],
  ['https://github.com/acme/former', 'acme/present'],
  ['acme/toolbox@pdf', 'acme/tools@pdf'],
  ['acme/toolbox', 'acme/tools'],
])('gives the present skill of the former id %s', async (id, present) => {
  const former = id.replace('https://github.com/', '').toLowerCase()

  const { text, result } = await get(id)

  expect(result).toMatchObject({ formerId: former, data: { id: present } })
  expect(text.split('\n').slice(0, 2)).toEqual([
    `${former} is now known as ${present}:`,
    expect.stringMatching(new RegExp(`^- ${present}: `)),
  ])
})

test('the record of a former id is that of the present skill', async () => {
  const client = await mcpOverHttp(shared().url)

  const { contents } = await client.readResource({ uri: 'catalog://skills/acme/former' })

  expect(contents).toMatchObject([
    { uri: 'catalog://skills/acme/former', text: expect.stringContaining('acme/present') },
  ])
})

test('the record of one of several skills has its id as an address, and the template says so', async () => {
  const client = await mcpOverHttp(shared().url)

  const { contents } = await client.readResource({ uri: 'catalog://skills/Acme/Kit@Mail' })

  expect(contents).toMatchObject([{ text: expect.stringContaining('"id":"acme/kit@mail"') }])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates[0]?.description).toContain('repo@skill')
})

test('lists the skills of a repository', async () => {
  const { text, result } = await get('acme/kit')

  expect(result).toMatchObject({ data: { id: 'acme/kit' }, skills: [{ id: 'acme/kit@mail' }], skillsTotal: 1 })
  expect(text).toContain('acme/kit@mail: Sends mail.')
})

test('lists the first 25 of more skills, each on one line, and says how to find the others', async () => {
  const { text, result } = await get('acme/shelf')

  expect(result).toMatchObject({ skillsTotal: 30 })
  const skills = Object(result)['skills']
  expect(skills).toHaveLength(25)
  expect(skills[0]).toMatchObject({ id: 'acme/shelf@tool-0', description: expect.stringMatching(/^Sorts\. x+…$/) })
  expect(text.split('\n').filter((line) => !line.startsWith(' '))).toHaveLength(1)
  expect(text).toContain('and 5 more: find them by search_skills with owner acme')
})

test('lists the first 100 files of more, each on one short line, and where they are', async () => {
  const { text, result } = await get('acme/many')

  const { files, filesTotal } = Object(result)
  expect([files.length, filesTotal]).toEqual([100, 2_000])
  expect(files[1]).toEqual({ path: expect.stringMatching(/^references\/1 - fake\/skill: x+…$/), size: null })
  const [, listed = ''] = text.split('  2,000 files in https://github.com/acme/many/tree/HEAD/skills/many:\n')
  const lines = listed.split('\n\nInstructions')[0]?.split('\n') ?? []
  expect(lines.slice(0, 3)).toEqual([
    `    SKILL.md (${own.size} B)`,
    expect.stringMatching(/^ {4}references\/1 - fake.{1,200}…$/),
    expect.stringMatching(/^ {4}references\/2 - fake.{1,200}… \(1\.5 kB\)$/),
  ])
  expect([lines.length, lines.at(-1)]).toEqual([101, '    and 1,900 more'])
})

test('says nothing of files in the text where the SKILL.md is alone, or nothing is known', async () => {
  const [sole, unknown] = [await get('acme/sole'), await get('acme/pdf-tables')]

  expect(sole.result).toMatchObject({ files: [{ path: 'SKILL.md', size: own.size }], filesTotal: 1 })
  expect(unknown.result).toMatchObject({ instructions: null, files: null, filesTotal: null })
  expect(`${sole.text}${unknown.text}`).not.toContain(' files in ')
})

test('an unknown skill is searched for with a tool', async () => {
  expect(await get('acme/nothing')).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^There is no skill acme\/nothing\. Search for it with search_skills\.$/m),
  })
})

test.each([
  ['acme/pdf-tabels', 'acme/pdf-tables'],
  ['other/pdf-tables', 'acme/pdf-tables'],
  ['https://github.com/other/pdf-tables', 'acme/pdf-tables'],
  ['pdf-tables', 'acme/pdf-tables'],
  ['PDF tables', 'acme/pdf-tables'],
])('names near ids for %s', async (id, near) => {
  const { isError, text } = await get(id)

  expect([isError, text]).toEqual([true, expect.stringMatching(new RegExp(`Similar ids: .*${near}`))])
})

test.each(['', ' ', '/', 'acme/', 'https://github.com/', 'https://github.com/acme', 'a/b/c/d', 'x'.repeat(3_000)])(
  'refuses %.30s, and says what it takes',
  async (id) => {
    const { isError, text } = await get(id)

    expect([isError, text]).toEqual([true, expect.stringMatching(/^id: /)])
  },
)

describe('bodies of requests', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

  const api = sharedTestApp({ sample: true })

  test.each(['with its length', 'in chunks'])('a body over 64 KiB is refused, sent %s', async (how) => {
    const head = how === 'in chunks' ? 'Transfer-Encoding: chunked' : 'Content-Length: 65537'
    const body = how === 'in chunks' ? `11170\r\n${'x'.repeat(70_000)}` : ''
    const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', head, '', body]

    const answer = await exchange(api().url, lines.join('\r\n'))

    expect({ status: answer.status, problem: JSON.parse(answer.body) }).toMatchObject({
      status: 413,
      problem: { code: 'body_too_large', detail: expect.stringContaining('65536 bytes') },
    })
  })

  test('a client that waits for 100 Continue gets it, and one whose request is refused does not', async () => {
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${ping.length}\r\nExpect: 100-continue\r\n\r\n`
    const { socket, closed } = await openSocket(api().url)
    socket.write(head('/mcp'))
    const [first] = await once(socket, 'data')
    socket.write(ping)

    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    expect((await closed).text).toContain('HTTP/1.1 200 OK')
    expect((await exchange(api().url, head('/api/skills'))).status).toBe(405)
  })

  test.each([
    ['without a size', '4\r\n{"js\r\nx'],
    ['with more than its size', '4\r\n{"jsonrpc"\r\n'],
    ['at the beginning', 'zz\r\n'],
  ])(
    'a chunk %s is refused at once, and the connection closed',
    async (_, chunks) => {
      const head =
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
      for (const parts of [[head + chunks], [head, chunks]]) {
        const { socket, closed } = await openSocket(api().url)
        for (const part of parts) {
          socket.write(part)
          await sleep(20)
        }

        expect(await closed).toMatchObject({ status: 400, body: expect.stringContaining('"code":"malformed_request"') })
      }
    },
    9_000,
  )

  test('a body of 64 KiB is read', async () => {
    const padding = ' '.repeat(65_536 - ping.length)

    const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
    const answer = await fetch(new URL('/mcp', api().url), { method: 'POST', headers, body: `${ping}${padding}` })

    expect(answer.status).toBe(200)
  })

  test('a client that leaves within its body leaves no error in the log', async () => {
    const { socket, closed } = await openSocket(api().url)
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    socket.end()
    await closed
    await callTool(await mcpOverHttp(api().url), 'catalog_stats')

    expect(api().logLines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})
