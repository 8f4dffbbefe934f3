import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import { usualTexts } from '../../shared/adapters/embedders/centered-embedder.js'
import { OnnxEmbedder } from '../../shared/adapters/embedders/onnx-embedder.js'
import type { StoredSkill } from '../../shared/records/skill.js'
import { embeddingModelFolder, whenEmbeddingModel } from '../support/embedding-model.js'
import { aSkill } from '../support/factories.js'
import { type EmbeddingServer, startEmbeddingServer } from '../support/model-servers.js'
import { endServices, nodeStart, type ServiceProcess, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { inFolder } from './support/published-catalog.js'
import { maxResponseMs, watchApi } from './support/watch-api.js'
import { withCatalog } from './support/with-catalog.js'

/** Documents are asked for again for half a minute, and embedded later every minute. */
const timeoutMs = 300_000

/** A running service, and what it answers. */
interface Service {
  process: ServiceProcess
  url: string
  search(q: string, more?: string): Promise<Answer>
  end(): Promise<void>
}

interface Answer {
  status: number
  mode: string
  degraded: boolean
  ids: string[]
  tookMs: number
}

/** A catalog in a folder, with this server as its embedder. */
const environment = (folder: string, { url }: EmbeddingServer, model = 'model-a') => ({
  ...inFolder(folder),
  EMBEDDER: 'openai',
  EMBEDDER_URL: `${url}/v1`,
  EMBEDDER_MODEL: model,
})

/** A folder with these skills, which are not indexed yet. */
async function folderWith(skills: StoredSkill[], server: EmbeddingServer): Promise<string> {
  const folder = temporaryFolder()
  await withCatalog(environment(folder, server), ({ catalog }) => catalog.put('skills', skills))
  return folder
}

async function startService(folder: string, server: EmbeddingServer, model?: string): Promise<Service> {
  const process = nodeStart({
    ...environment(folder, server, model),
    TRUSTED_PROXIES: '1',
    RATE_LIMIT_PER_MINUTE: '100000',
  })
  const address = await started(process)
  return {
    process,
    url: address,
    async search(q, parameters = '') {
      const startedMs = performance.now()
      const response = await fetch(`${address}/api/v1/skills/search?q=${encodeURIComponent(q)}${parameters}`)
      const tookMs = performance.now() - startedMs
      const { mode, degraded, data = [] } = (await response.json()) as Partial<Answer> & { data?: { id: string }[] }
      return {
        status: response.status,
        mode: mode ?? '',
        degraded: degraded === true,
        ids: data.map(({ id }) => id),
        tookMs,
      }
    },
    end: () => endServices(process),
  }
}

/** The answer to a search, as soon as it is as wanted. */
async function until(search: () => Promise<Answer>, isWanted: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await search()
    expect(answer.status).toBe(200)
    if (isWanted(answer)) {
      return answer
    }
    await sleep(500)
  }
}

const count = (text: string, part: string): number => text.split(part).length - 1

/** Texts of skills that the server was asked for, under the name of a model. */
const documentsOf = ({ requests }: EmbeddingServer, model: string): string[] =>
  requests
    .flatMap(({ body }) => (body.model === model && body.input.length > 1 ? body.input : []))
    .filter((text) => !usualTexts.includes(text))

whenEmbeddingModel(() => {
  const opened: OnnxEmbedder[] = []
  afterAll(async () => {
    for (const embedder of opened.splice(0)) {
      await embedder.close()
    }
  })

  /** A server with the real model. */
  const startModel = async () => {
    const model = opened[0] ?? (await OnnxEmbedder.open(embeddingModelFolder))
    if (opened.length === 0) {
      opened.push(model)
    }
    return startEmbeddingServer((texts) => model.embed(texts, 'document'))
  }

  // It shares no informative word with the skill that it finds.
  const [wish, wanted] = ['a bike lamp', 'acme/beam'] as const
  const skills = [
    aSkill({ repo: 'beam', name: 'beam', description: 'Makes bicycles visible to cars in the dark.' }),
    aSkill({ repo: 'tables', name: 'table reader', description: 'Reads tables of invoices.' }),
    aSkill({ repo: 'sauces', name: 'ketchup', description: 'Cooks tomato sauces.' }),
  ]
  const aFolder = (server: EmbeddingServer) => folderWith(skills, server)
  const isFound = ({ ids, degraded }: Answer) => !degraded && ids.includes(wanted)

  test(
    'embedder down at start: skills are found by words, and by meaning once it is up',
    async () => {
      const server = await startModel()
      const folder = await aFolder(server)
      await server.close()
      const service = await startService(folder, server)
      const watch = watchApi(service.url)

      const byWords = await until(
        () => service.search('ketchup'),
        ({ ids }) => ids.length > 0,
      )
      expect(byWords).toMatchObject({ mode: 'keyword', degraded: true, ids: ['acme/sauces'] })
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
      expect(count(service.process.stderr(), 'found by their words only until it does')).toBe(1)
      await server.restart()
      expect(await until(() => service.search(wish), isFound)).toMatchObject({ mode: 'hybrid' })

      expect((await watch.stop()).faults).toEqual([])
      await service.end()
    },
    timeoutMs,
  )

  test(
    'embedder going down, slow, back again: searches go on by words, and by meaning after it',
    async () => {
      const server = await startModel()
      const service = await startService(await aFolder(server), server)
      await until(() => service.search(wish), isFound)
      const watch = watchApi(service.url)

      await server.close()
      const down = await service.search('a text that is new')
      expect(down).toMatchObject({ status: 200, mode: 'keyword', degraded: true })
      expect(down.tookMs).toBeLessThan(maxResponseMs)
      // The vectors of earlier texts are kept.
      expect(await service.search(wish)).toMatchObject({ mode: 'hybrid', degraded: false })
      await server.restart()
      await until(() => service.search(`${wish} again`), isFound)

      server.fault = async () => {
        await sleep(2_000)
        return false
      }
      const slow = await service.search(`${wish} slowly`)
      expect(slow).toMatchObject({ status: 200, mode: 'keyword', degraded: true })
      expect(slow.tookMs).toBeLessThan(maxResponseMs)
      // The late answer serves the next search of the text.
      await until(() => service.search(`${wish} slowly`), isFound)
      server.fault = () => false
      await until(() => service.search(`${wish} at last`), isFound)

      expect((await watch.stop()).faults).toEqual([])
      // Two outages within half a minute are one, with one line however many searches it concerned.
      expect(count(service.process.stderr(), 'dependency unavailable')).toBe(1)
      await service.end()
    },
    timeoutMs,
  )

  test(
    'a changed name of the model: the index is built again, while the old one answers by words',
    async () => {
      const server = await startModel()
      const folder = await aFolder(server)
      const first = await startService(folder, server)
      await until(() => first.search(wish), isFound)
      await first.end()
      const documents = documentsOf(server, 'model-a')
      let open = () => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      server.fault = async (_, { body }) => {
        await (body.input.length > 1 ? gate : null)
        return false
      }

      const second = await startService(folder, server, 'model-b')
      expect(await second.search('ketchup')).toMatchObject({
        status: 200,
        mode: 'keyword',
        degraded: true,
        ids: ['acme/sauces'],
      })
      open()
      await until(() => second.search(wish), isFound)
      await second.end()

      expect(documentsOf(server, 'model-b').sort()).toEqual(documents.sort())
      // The same model again: nothing is asked for.
      const asked = documentsOf(server, 'model-b').length
      const third = await startService(folder, server, 'model-b')
      await until(() => third.search(wish), isFound)
      await third.end()
      expect(documentsOf(server, 'model-b')).toHaveLength(asked)
    },
    timeoutMs,
  )
})

describe('with vectors without meaning', () => {
  test(
    'kill -9 in the middle of a rebuild with a new model: resumes, and embeds no finished page again',
    async () => {
      const server = await startEmbeddingServer(async (texts) => texts.map((text) => [text.length, 1, 0, 7]))
      const names = Array.from({ length: 12_500 }, (_, n) => `tool ${n}`)
      const skills = names.map((name, n) => aSkill({ repo: `tool-${n}`, name }))
      const folder = await folderWith(skills, server)
      const isComplete = ({ mode, ids }: Answer) => mode === 'hybrid' && ids.includes('acme/tool-12499')
      const first = await startService(folder, server)
      // The first index of many skills is being built.
      while ((await first.search('tool 12499')).status === 503) {
        await sleep(500)
      }
      await until(() => first.search('tool 12499'), isComplete)
      await first.end()
      // Two pages are in progress at most: the first of 5,000 is finished when the third one is asked for.
      server.fault = async () => {
        await (documentsOf(server, 'model-b').length > 10_200 ? new Promise(() => undefined) : null)
        return false
      }
      const killed = await startService(folder, server, 'model-b')
      while (documentsOf(server, 'model-b').length <= 10_200) {
        expect(await killed.search('tool 7')).toMatchObject({ status: 200, mode: 'keyword', degraded: true })
        await sleep(100)
      }
      killed.process.signal('SIGKILL')
      await killed.process.ended
      const before = documentsOf(server, 'model-b')
      server.requests.length = 0
      server.fault = () => false

      const resumed = await startService(folder, server, 'model-b')
      expect(await resumed.search('tool 7')).toMatchObject({
        status: 200,
        ids: expect.arrayContaining(['acme/tool-7']),
      })
      await until(() => resumed.search('tool 12499'), isComplete)

      const after = documentsOf(server, 'model-b')
      expect(new Set([...before, ...after])).toEqual(new Set(names))
      const finished = new Set(before.slice(0, 5_000))
      expect(after.filter((text) => finished.has(text))).toEqual([])
      await resumed.end()
    },
    timeoutMs,
  )
})
