import { setTimeout as sleep } from 'node:timers/promises'
import { ReplicatedIndex } from '../../shared/adapters/servers/meili/replicas.js'
import { meiliServers } from '../../shared/adapters/servers/open-servers.js'
import type { Stores } from '../../shared/adapters/stores.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import { afterTest } from './after-test.js'
import { aSkill } from './factories.js'
import { foundNames } from './found-skills.js'
import type { HttpRelay } from './http-relay.js'
import type { JobBench } from './job-bench.js'
import { meiliKey } from './servers.js'
import { silentLog } from './test-log.js'
import { withOverrides } from './with-overrides.js'

function open(urls: string[], { embedder = null as Embedder | null, log = silentLog() } = {}) {
  const [first = '', ...others] = urls
  const opened = meiliServers({ meiliUrls: [first, ...others], meiliKey }, embedder, log)
  afterTest(() => opened.index.close())
  return opened
}

/** The index on these servers, for reading. */
export const indexOn = (...given: Parameters<typeof open>): Stores['index'] => open(...given).index

/** These servers, to which jobs write. */
export const serversOn = (...given: Parameters<typeof open>): Stores['replicas'] => open(...given).replicas

/** The same as a query service opens it: it looks at the servers. @param changes the log from which lags are read */
export async function readerOf(
  urls: string[],
  { catalog, changes }: Pick<JobBench, 'catalog' | 'changes'>,
  log = silentLog(),
) {
  const index = indexOn(urls, { log })
  if (index instanceof ReplicatedIndex) {
    await index.follow({ catalog, changes })
  }
  return index
}

/** The change log of a minute ago. */
export const aMinuteLater = ({ changes }: JobBench): JobBench['changes'] =>
  withOverrides(changes, {
    after: async (...given) => {
      const found = await changes.after(...given)
      const earlier = (time: string) => new Date(Date.parse(time) - 60_000).toISOString()
      return { ...found, changes: found.changes.map((each) => ({ ...each, changedAt: earlier(each.changedAt) })) }
    },
  })

/** The number of searches that have come through a relay. */
export const searchesAt = ({ requests }: HttpRelay) => requests.filter(({ path }) => path === '/multi-search').length

/** New skills of these names. */
export const skillsNamed = (...names: string[]) => names.map((name) => aSkill({ repo: name, name }))

/** Several searches at once, again and again until it is stopped. @returns the different answers */
export function searchingAll(index: Pick<Stores['index'], 'search'>, text: string) {
  let isStopped = false
  const answers = new Set<string>()
  const loops = Array.from({ length: 6 }, async () => {
    while (!isStopped) {
      answers.add((await foundNames(index, text)).join(' '))
      // The servers need the processor as well.
      await sleep(10)
    }
  })
  return async () => {
    isStopped = true
    await Promise.all(loops)
    return [...answers]
  }
}
