import { expect } from '@jest/globals'
import { expectInvariant } from './support/invariant.js'
import { type Stage, setStage, testOnOwnServers, untilCountedAlone, untilStatus } from './support/stage.js'
import { watchApi } from './support/watch-api.js'

interface Fault {
  hurt(stage: Stage): unknown
  /** Resolves when the fault takes effect. */
  felt(stage: Stage): Promise<void>
  heal(stage: Stage): unknown
  /** Paths answered with 503 meanwhile; all others work. */
  lost: string[]
}

const searches = ['/api/v1/skills/search?q=tool', '/api/v1/skills/suggest?q=to']
const reads = ['/api/skills?limit=5', '/api/v1/changes?limit=5']

const faults: Record<string, Fault> = {
  'Redis is killed': {
    hurt: ({ redis }) => redis.kill(),
    felt: (stage) => untilCountedAlone(stage, 1),
    heal: ({ redis }) => redis.start(),
    lost: [],
  },
  'Redis is frozen': {
    hurt: ({ redis }) => redis.freeze(),
    felt: (stage) => untilCountedAlone(stage, 2),
    heal: ({ redis }) => redis.thaw(),
    lost: [],
  },
  'Meilisearch is killed': {
    hurt: ({ meilisearch }) => meilisearch.kill(),
    felt: (stage) => untilStatus(stage, '/api/v1/skills/search?q=felt', 503),
    heal: ({ meilisearch }) => meilisearch.start(),
    lost: searches,
  },
  'Meilisearch is frozen': {
    hurt: ({ meilisearch }) => meilisearch.freeze(),
    felt: (stage) => untilStatus(stage, '/api/v1/skills/search?q=felt', 503),
    heal: ({ meilisearch }) => meilisearch.thaw(),
    lost: searches,
  },
  'MongoDB is unreachable': {
    hurt: ({ way }) => way.cut(),
    felt: (stage) => untilStatus(stage, '/api/skills?limit=7', 503),
    heal: ({ way }) => way.heal(),
    lost: reads,
  },
  'the connections to MongoDB are dropped': {
    hurt: ({ way }) => way.cut(),
    felt: ({ way }) => way.heal(),
    heal: () => undefined,
    lost: reads,
  },
  'MongoDB answers slowly': {
    hurt: ({ way }) => {
      way.delayMs = 300
    },
    felt: (stage) => untilStatus(stage, '/api/skills?limit=7', 200),
    heal: ({ way }) => {
      way.delayMs = 0
    },
    lost: [],
  },
  'MongoDB is frozen': {
    hurt: ({ mongodb: { child } }) => child.kill('SIGSTOP'),
    felt: (stage) => untilStatus(stage, '/api/skills?limit=7', 503),
    heal: ({ mongodb: { child } }) => child.kill('SIGCONT'),
    lost: reads,
  },
}

/** Words that are not typos of each other. */
const words = ['violin', 'harbour', 'quartz', 'meadow', 'lantern', 'compass', 'granite', 'pillow']

testOnOwnServers(
  'each server unavailable, and frozen, in turn: the API answers, and the index catches up',
  async () => {
    const stage = await setStage()
    const { query, skills, untilFound } = stage
    let hidden = 'early'
    for (const [n, [name, { hurt, felt, heal, lost }]] of Object.entries(faults).entries()) {
      const word = String(words[n])
      const watch = watchApi(query.url())
      await hurt(stage)
      // A MongoDB that stands still takes this in when it goes on.
      const written = [
        skills.insertOne({ owner: 'acme', repo: `tool-${n}`, description: word, updatedAt: new Date() }),
        skills.updateMany({ description: hidden }, { $set: { hidden: true, updatedAt: new Date() } }),
      ]
      await felt(stage)
      await heal(stage)
      await Promise.all(written)

      await untilFound(word, [`acme/tool-${n}`])
      await untilFound(hidden, [])
      // Recovered before the next fault.
      await Promise.all(lost.map((path) => untilStatus(stage, path, 200)))
      const verdict = await watch.stop()
      expect({ name, faults: verdict.faults }).toEqual({ name, faults: [] })
      const refused = Object.keys(verdict.answers).filter((answer) => answer.endsWith(' 503'))
      const surprises = refused.filter((answer) => !lost.some((path) => answer.startsWith(path)))
      expect({ name, surprises }).toEqual({ name, surprises: [] })
      hidden = word
    }

    await stage.end()
    expect(await expectInvariant(stage.env)).toMatchObject({ compared: 1 })
  },
)

testOnOwnServers('12. Redis OOM: sync alerts, reads 200', async () => {
  const stage = await setStage()
  const { query, indexer, redis, skills, untilFound } = stage
  const watch = watchApi(query.url())

  await redis.fill()
  await untilCountedAlone(stage, 1)
  await indexer.says('jobs wait: Redis is full')
  await skills.insertOne({ owner: 'acme', repo: 'late', description: 'meanwhile', updatedAt: new Date() })
  await redis.empty()

  await untilFound('meanwhile', ['acme/late'])
  const { faults: wrong, answers } = await watch.stop()
  expect(wrong).toEqual([])
  expect(Object.keys(answers).filter((answer) => answer.endsWith(' 503'))).toEqual([])
  await stage.end()
  expect(await expectInvariant(stage.env)).toMatchObject({ compared: 3 })
})
