import type { Socket } from 'node:net'
import { expect } from '@jest/globals'
import { BSON, MongoClient } from 'mongodb'
import type { CatalogStatus } from '../../services/indexer/status/read-status.js'
import { startCatalogOn } from '../support/catalog-command.js'
import { aDesk } from '../support/desk.js'
import { findingsIn } from '../support/doctor-checks.js'
import { startOwnRedis, testWithOwnRedis } from '../support/own-servers.js'
import { startTcpRelay } from '../support/relays.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog, runOnServers, untilQueue } from '../support/servers-catalog.js'
import { greetingEnd, serviceStart } from '../support/service-process.js'
import { until } from '../support/until.js'

/** MongoDB's OP_MSG: a header of 16 bytes, flags, and a section of kind 0 that begins with the command. */
const [opMsg, bodyAt] = [2_013, 21]

/** A relay to a MongoDB that refuses some of the commands, as a server does for which they are not permitted. */
interface RefusingRelay {
  /** The URL of the same database through it. */
  url: string
  /** The names of the commands to refuse; `$changeStream` refuses the aggregations that open one. */
  refused: Set<string>
}

/** Opens such a relay; it ends with the test. */
async function startRefusingRelay(target: string): Promise<RefusingRelay> {
  const relay = await startTcpRelay(target)
  const refused = new Set<string>()
  relay.forward = (client, server) => forward(client, server, refused)
  return { url: relay.url, refused }
}

function forward(client: Socket, server: Socket, refused: ReadonlySet<string>): void {
  let waiting = Buffer.alloc(0)
  client.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= bodyAt && waiting.length >= waiting.readInt32LE(0)) {
      const message = waiting.subarray(0, waiting.readInt32LE(0))
      waiting = waiting.subarray(message.length)
      const name = refusedName(message, refused)
      if (name === null) {
        server.write(message)
      } else {
        client.write(refusal(message, name))
      }
    }
  })
}

/** The command in a message, where it is one to refuse; else null. */
function refusedName(message: Buffer, refused: ReadonlySet<string>): string | null {
  if (refused.size === 0 || message.readInt32LE(12) !== opMsg) {
    return null
  }
  const command = BSON.deserialize(message.subarray(bodyAt, bodyAt + message.readInt32LE(bodyAt)))
  const [name = ''] = Object.keys(command)
  const opensStream = JSON.stringify(command['pipeline'] ?? '').includes('$changeStream')
  return [name, ...(opensStream ? ['$changeStream'] : [])].find((each) => refused.has(each)) ?? null
}

function refusal(message: Buffer, name: string): Buffer {
  const answer = { ok: 0, errmsg: `${name} is not to be had here`, code: 115, codeName: 'CommandNotSupported' }
  const body = BSON.serialize(answer)
  const head = Buffer.alloc(bodyAt)
  head.writeInt32LE(bodyAt + body.length, 0)
  head.writeInt32LE(message.readInt32LE(4), 8)
  head.writeInt32LE(opMsg, 12)
  return Buffer.concat([head, body])
}

interface LogLine {
  msg: string
  job?: string
  err?: { message: string }
}

whenServer('mongodb', (mongodb) => {
  whenServer('meilisearch', (meilisearch) => {
    async function begin() {
      const env = await emptyCatalog(mongodb(), meilisearch(), (await startOwnRedis()).url)
      const { refused, url } = await startRefusingRelay(env.MONGODB_URL)
      return { refused, env: { ...env, MONGODB_URL: url } }
    }
    const startIndexer = async (env: Record<string, string>) => {
      const indexer = serviceStart('indexer', { ...env, SYNC_EVERY_SECONDS: '1' })
      await indexer.says(greetingEnd)
      const lines = () =>
        (indexer.stdout() + indexer.stderr())
          .split('\n')
          .flatMap((line): LogLine[] => (line.startsWith('{') ? [JSON.parse(line)] : []))
      return { lines, untilLogged: (found: (line: LogLine) => boolean) => until(() => lines().some(found)) }
    }
    for (const command of ['findAndModify', 'find']) {
      testWithOwnRedis(
        `a command that MongoDB refuses (${command}) is logged once, and shown with its cause`,
        async () => {
          const { env, refused } = await begin()
          const desk = await aDesk()
          const { lines, untilLogged } = await startIndexer({ ...env, ...desk.env })
          await untilQueue(env, 'ingest', async (queue) => (await queue.getCompletedCount()) > 0)

          refused.add(command)
          const cause = `${command} is not to be had here`
          const direct = await MongoClient.connect(env.MONGODB_URL.replace(/:\d+/, `:${new URL(mongodb()).port}`))
          await direct.db().collection('skills').insertOne({ owner: 'acme', repo: 'tool' })
          await direct.close()
          await untilQueue(env, 'ingest', async (queue) => (await queue.getFailedCount()) > 2)
          const jobs = await runOnServers(env, ['jobs', '--json'])
          const table = await runOnServers(env, ['jobs'])
          const status = await runOnServers(env, ['status'])
          const doctor = await runOnServers(env, ['doctor'])

          const page = await fetch(`${desk.url}/?skill=acme/tool`, { headers: { Accept: 'text/html' } })
          const shown = await fetch(`${desk.url}/status.json`)
          const { jobs: shownJobs, skills } = (await shown.json()) as CatalogStatus

          expect([page.status, shown.status]).toEqual([200, 200])
          expect(await page.text()).toContain(cause)
          expect(shownJobs.find(({ name }) => name === 'ingest')?.lastRun?.error).toContain(cause)
          // The change log is counted by another command. A run that had its lock before writes no lock any more.
          expect(skills).toEqual(
            command === 'find'
              ? { catalog: null, log: 0, index: 0 }
              : { catalog: expect.any(Number), log: expect.any(Number), index: 0 },
          )
          expect(status.stdout).toMatch(/ingest +[\d.]+ s? /)

          const failures = lines().filter(({ msg, job }) => msg === 'job failed' && job === 'ingest')
          expect(failures.map(({ err }) => err?.message)).toEqual([expect.stringContaining(cause)])
          const rows = jobs.json['jobs'] as { name: string }[]
          expect(rows.find(({ name }) => name === 'ingest')).toMatchObject({
            lastRun: { outcome: 'failed', error: expect.stringContaining(cause) },
          })
          for (const { stdout, stderr } of [table, status, doctor]) {
            expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(cause)
            expect(stdout + stderr).not.toContain('does not answer')
          }

          refused.clear()
          await untilLogged(({ msg, job }) => msg === 'job succeeds again' && job === 'ingest')
        },
      )
    }

    testWithOwnRedis('a command takes over from a killed process while Redis refuses it', async () => {
      const { env } = await begin()
      const client = await MongoClient.connect(env.MONGODB_URL)
      const locks = client.db().collection<{ _id: string; holder: string; epoch: number; expiresAt: Date }>('locks')
      await locks.insertOne({ _id: 'sync-index', holder: 'killed', epoch: 1, expiresAt: new Date(0) })
      await client.close()

      const { status, stderr } = await startCatalogOn({ ...env, REDIS_URL: `${env.REDIS_URL}/99` }, ['sync', '--local'])
        .ended

      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    })

    testWithOwnRedis('a refused change stream is logged, and found by doctor', async () => {
      const { env, refused } = await begin()
      const { json: good } = await runOnServers(env, ['doctor', '--json'])
      refused.add('$changeStream')
      const { lines, untilLogged } = await startIndexer(env)

      await untilLogged(({ msg }) => msg.startsWith('the change stream fails'))
      const { json: found } = await runOnServers(env, ['doctor', '--json'])

      const logged = lines().filter(({ msg }) => msg.startsWith('the change stream fails'))
      expect(logged).toMatchObject([{ err: { message: expect.stringContaining('$changeStream is not to be had') } }])
      expect(findingsIn(good).map(({ name }) => name)).not.toContain('change streams')
      expect(findingsIn(found)).toContainEqual(
        expect.objectContaining({
          name: 'change streams',
          detail: expect.stringContaining('$changeStream is not to be had here'),
        }),
      )
    })
  })
})
