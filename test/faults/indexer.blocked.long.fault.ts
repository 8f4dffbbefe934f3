import { expect } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { holdNextPost, startHttpRelay } from '../support/relays.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { serviceStart, started } from '../support/service-process.js'
import { expectInvariant } from './support/invariant.js'
import { withCatalog } from './support/with-catalog.js'

/** Longer than the lease of a job, and than the queue's time to give its run to another process: twice 30 seconds. */
const blockedMs = 75_000

/** Blocks the process that is started with it when it receives SIGUSR2. */
const blocksOnSignal = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('SIGUSR2',()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,${blockedMs}))`,
)}`

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    testWithOwnRedis(
      '8. Event loop blocked >lock: rerun idempotent',
      async () => {
        const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
        const [slow, other] = [await startHttpRelay(meilisearch()), await startHttpRelay(meilisearch())]
        const blocked = serviceStart('indexer', { ...env, MEILI_URL: slow.url, NODE_OPTIONS: blocksOnSignal })
        await started(blocked)
        const { arrived, pass } = holdNextPost(slow)
        const skills = Array.from({ length: 50 }, (_, n) => aSkill({ repo: `tool-${n}` }))
        await withCatalog(env, ({ catalog }) => catalog.put('skills', skills))
        await arrived
        blocked.signal('SIGUSR2')
        // It reads the answer, which arrives meanwhile, only when it continues.
        pass()
        const second = serviceStart('indexer', { ...env, MEILI_URL: other.url })
        await started(second)

        // Either the queue or the lock reports the loss first.
        await blocked.says('was lost')

        // The other process has repeated the batch.
        expect(other.posts.length).toBeGreaterThan(0)
        expect(await expectInvariant(env)).toMatchObject({ compared: 50 })
      },
      300_000,
    )
  })
})
