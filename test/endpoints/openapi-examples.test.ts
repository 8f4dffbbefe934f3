import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { type Example, examples } from '../../services/query/openapi/responses.js'
import { postJson, startTestApp, type TestApp } from '../support/test-app.js'

/** Times and durations, which differ in every response. */
const ofTheMoment = new Set([
  'catalog',
  'indexedAt',
  'tookMs',
  'snapshot',
  'path',
  'bytes',
  'sha256',
  'sequence',
  'changedAt',
  'changesSince',
  'nextSince',
  'generatedAt',
  'lastSyncAt',
  'statsGeneratedAt',
  'exportsGeneratedAt',
])

test('each example equals the response on the sample catalog', async () => {
  const api = await startTestApp({ sample: true })
  await api.publishExports()

  for (const [name, example] of Object.entries(examples)) {
    const { status, body } = example.body === undefined ? await api.get(example.request) : await posted(api, example)
    expect({ name, status }).toEqual({ name, status: 200 })
    if (example.answer === undefined) {
      expect({ name, body }).toEqual({ name, body: null })
    } else if (process.env['WRITE_EXAMPLES'] === 'on') {
      await writeExample(name, shortened(body))
    } else {
      expect({ name, answer: withoutMoment(shortened(body)) }).toEqual({ name, answer: withoutMoment(example.answer) })
    }
  }
})

async function posted({ url }: TestApp, { request, body }: Example): Promise<{ status: number; body: unknown }> {
  const answer = await postJson(`${url}${request}`, body)
  return { status: answer.status, body: await answer.json() }
}

/** Lists of which one entry is enough as an example. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const short = value.map(shortened)
    return typeof value[0] === 'object' ? short.slice(0, 1) : short
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
  }
  return value
}

/** The same, with times and durations reduced to their presence. */
function withoutMoment(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutMoment)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        ofTheMoment.has(name) ? typeof member : withoutMoment(member),
      ]),
    )
  }
  return value
}

async function writeExample(name: string, answer: unknown): Promise<void> {
  const path = 'services/query/openapi/examples.json'
  const written = JSON.parse(await readFile(path, 'utf8')) as Record<string, Example>
  expect(Object.keys(written)).toContain(name)
  await writeFile(path, `${JSON.stringify({ ...written, [name]: { ...written[name], answer } }, null, 2)}\n`)
}
