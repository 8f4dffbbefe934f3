// Healthy: at least one of the indexer's workers has asked Redis for jobs lately. An idle indexer does so every few
// seconds; one that hangs or has lost its connection to Redis does not. The indexer has no port, so this reads the
// connections that Redis has from this container.
import { Redis } from 'ioredis'

const silentSeconds = 60
const redis = new Redis(process.env.REDIS_URL, {
  retryStrategy: null,
  maxRetriesPerRequest: 0,
  connectTimeout: 4_000,
  commandTimeout: 4_000,
})
redis.on('error', () => {})

/** One line of `CLIENT LIST` or `CLIENT INFO`: `id=3 addr=172.20.0.4:36840 name=… idle=2 …` */
const fields = (line) => new Map(line.split(' ').map((field) => /^([^=]*)=(.*)$/s.exec(field)?.slice(1) ?? [field, '']))
const host = (client) => client.get('addr')?.replace(/:\d+$/, '')

try {
  const ours = host(fields(await redis.client('INFO')))
  const workers = (await redis.client('LIST'))
    .split('\n')
    .map(fields)
    .filter((client) => host(client) === ours && client.get('name')?.startsWith('catalog-jobs:'))
  const healthy = workers.some((worker) => Number(worker.get('idle')) < silentSeconds)
  process.stdout.write(healthy ? 'its workers ask for jobs\n' : 'no worker of it has asked Redis for jobs lately\n')
  process.exit(healthy ? 0 : 1)
} catch (error) {
  process.stdout.write(`Redis does not answer: ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
