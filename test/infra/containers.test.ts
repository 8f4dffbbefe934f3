import { once } from 'node:events'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { builtContainer, composeCheck, composeCommand, composeContainer } from '../support/compose-container.js'
import { composeServices } from '../support/compose-file.js'
import { type Container, testInContainer } from '../support/container.js'
import { embeddingModelFolder, whenEmbeddingModel } from '../support/embedding-model.js'
import { freePort } from '../support/local-server.js'
import { runProgram } from '../support/programs.js'
import { whenServer } from '../support/servers.js'
import { emptyCatalog } from '../support/servers-catalog.js'
import { temporaryFolder } from '../support/temporary-folder.js'

// The programs of the images, run as processes of this machine with the user, command, settings, mounts and health
// check of docker-compose.yml, without capabilities, on a read-only file system. Only ports and addresses differ.

/** The files that a container writes until it is healthy, by writable folder. */
const written: Record<string, Record<string, string[]>> = {
  nginx: { '/tmp': ['client_body', 'fastcgi', 'nginx.pid', 'proxy', 'scgi', 'uwsgi'] },
  query: { '/tmp': [], '/var/tmp/skill-catalog': ['exports'] },
  indexer: { '/tmp': [] },
  sample: { '/tmp': [] },
  mongo: {
    '/data/configdb': [],
    '/data/db': ['WiredTiger', 'diagnostic.data', 'journal'],
    '/tmp': ['.mongodb', 'docker-entrypoint-temp-mongod.pid', 'keyfile', 'mongodb-27017.sock'],
  },
  'mongo-replica-set': { '/tmp': [] },
  meilisearch: { '/meili_data': ['data.ms', 'dumps', 'tmp'] },
  'redis-queue': { '/data': ['appendonlydir'] },
  'redis-limits': { '/data': [] },
}

test('every container is in this table', () => {
  expect(Object.keys(written).sort()).toEqual(Object.keys(composeServices).sort())
})

// The official nginx image has these in folders that are not writable, unless the settings move them.
test('nginx writes its files to the writable folder', () => {
  const paths = [...read('infra/nginx/nginx.conf').matchAll(/^ *(pid|error_log|\w+_temp_path) (\S+?)\/?[ ;]/gm)]

  expect(Object.fromEntries(paths.map(([, directive, path]) => [directive, path]))).toEqual({
    pid: '/tmp/nginx.pid',
    error_log: 'stderr',
    client_body_temp_path: '/tmp/client_body',
    proxy_temp_path: '/tmp/proxy',
    fastcgi_temp_path: '/tmp/fastcgi',
    uwsgi_temp_path: '/tmp/uwsgi',
    scgi_temp_path: '/tmp/scgi',
  })
})

testInContainer('nginx becomes healthy', ['nginx', 'wget'], async () => {
  const port = await freePort()
  const upstream = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  upstream.unref()
  const { port: upstreamPort } = upstream.address() as AddressInfo
  const conf = read('infra/nginx/nginx.conf')
    .replace('server query:3000 resolve', `server 127.0.0.1:${upstreamPort}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
  const mounted = temporaryFolder()
  cpSync(join(projectRoot(), 'infra/nginx'), mounted, { recursive: true })
  writeFileSync(join(mounted, 'nginx.conf'), conf)
  chmodSync(mounted, 0o755)
  // Compiled-in folders exist and are empty, as in the official image.
  const { stderr: compiled } = await runProgram('nginx', ['-V'])
  const emptyFolders = [...compiled.matchAll(/-path=(\/(?:run|var)\/\S+)/g)].map(([, path = '']) => posix.dirname(path))
  const container = composeContainer('nginx', {
    programs: ['nginx', 'wget'],
    mounts: { './infra/nginx': mounted },
    emptyFolders: [...new Set(emptyFolders)],
  })

  container.start(composeCommand('nginx'))
  await container.untilHealthy(composeCheck('nginx', { 8080: String(port) }))

  expect(writtenIn(container, 'nginx')).toEqual(written['nginx'])
  expect(await container.end()).toBe(0)
})

for (const name of ['redis-queue', 'redis-limits']) {
  testInContainer(`${name} becomes healthy, and asks for a password`, ['redis-server', 'redis-cli'], async () => {
    const port = String(await freePort())
    const source = name === 'redis-queue' ? './infra/redis/queue.conf' : './infra/redis/limits.conf'
    const mounted = join(temporaryFolder(), 'redis.conf')
    writeFileSync(mounted, `${read(source)}\nbind 127.0.0.1\nport ${port}\n`)
    const container = composeContainer(name, {
      programs: ['redis-server', 'redis-cli'],
      workingFolder: '/data',
      mounts: { [source]: mounted },
    })

    container.start(composeCommand(name))
    await container.untilHealthy(composeCheck(name, { 'redis-cli': `redis-cli -p ${port}` }))

    const unsigned = await container.run(['env', '-u', 'REDISCLI_AUTH', 'redis-cli', '-p', port, 'ping'])
    expect(unsigned.stdout).toContain('NOAUTH')
    expect(writtenIn(container, name)).toEqual(written[name])
    expect(await container.end()).toBe(0)
  })
}

testInContainer('meilisearch becomes healthy', ['meilisearch', 'curl'], async () => {
  const address = `127.0.0.1:${await freePort()}`
  const container = composeContainer('meilisearch', {
    programs: ['meilisearch', 'curl'],
    workingFolder: '/meili_data',
    env: { MEILI_HTTP_ADDR: address },
  })

  container.start(composeCommand('meilisearch'))
  await container.untilHealthy(composeCheck('meilisearch', { '127.0.0.1:7700': address }))

  expect(writtenIn(container, 'meilisearch')).toEqual(written['meilisearch'])
})

// MongoDB is in no package. A script in place of its image's entry point writes the same files as that and MongoDB:
// https://github.com/docker-library/mongo/blob/master/8.0/docker-entrypoint.sh
testInContainer('mongo can write the files of its image, and has a key file', ['bash'], async () => {
  const entryPoint = join(temporaryFolder(), 'docker-entrypoint.sh')
  const files = Object.entries(written['mongo'] ?? {}).flatMap(([folder, names]) =>
    names.map((name) => posix.join(folder, name)),
  )
  writeFileSync(entryPoint, `#!/bin/sh\nset -e\ntouch ${files.join(' ')}\nstat -c %a /tmp/keyfile\necho "$HOME $@"\n`)
  chmodSync(entryPoint, 0o755)
  const container = composeContainer('mongo', {
    programs: ['bash'],
    image: { '/usr/local/bin/docker-entrypoint.sh': entryPoint },
  })

  const { stdout, stderr } = await container.run(composeCommand('mongo'))

  expect(stderr).toBe('')
  expect(stdout).toBe('600\n/tmp mongod --replSet rs0 --keyFile /tmp/keyfile --quiet --wiredTigerCacheSizeGB 0.5\n')
  expect(writtenIn(container, 'mongo')).toEqual(written['mongo'])
})

whenEmbeddingModel(() => {
  testInContainer('a service runs the model of a folder', ['node'], async () => {
    // Its runtime would write a number of the machine there, and send it to its maker.
    const container = builtContainer('query', { HOME: '/tmp' }, { '/opt/model': embeddingModelFolder })
    const script = `
      const { OnnxEmbedder } = await import('/app/dist/shared/adapters/embedders/onnx-embedder.js')
      const embedder = await OnnxEmbedder.open('/opt/model')
      const [vector] = await embedder.embed(['Reads tables.'], 'document')
      console.log(vector.length)
      await embedder.close()`

    const { stdout, stderr } = await container.run(['node', '--input-type=module', '-e', script])

    expect({ stdout, stderr }).toEqual({ stdout: '384\n', stderr: '' })
    expect(container.list('/tmp')).toEqual([])
  })
})

whenServer('mongodb', (mongodb) => {
  whenServer('redis', (redis) => {
    whenServer('meilisearch', (meilisearch) => {
      testInContainer('both services become healthy, and the sample is loaded', ['node'], async () => {
        const port = String(await freePort())
        const limits = { RATE_LIMIT_REDIS_URL: redis() }
        const env = {
          HOST: '127.0.0.1',
          PORT: port,
          ...(await emptyCatalog(mongodb(), meilisearch(), redis())),
          ...limits,
        }
        const indexer = builtContainer('indexer', env)
        const query = builtContainer('query', env)
        const sample = builtContainer('sample', env)

        indexer.start(composeCommand('indexer'))
        await indexer.untilHealthy(composeCheck('indexer'))
        query.start(composeCommand('query'))
        await query.untilHealthy(composeCheck('query'))
        expect(await sample.run(composeCommand('sample'))).toMatchObject({ status: 0 })

        const answer = await fetch(`http://127.0.0.1:${port}/api/skills?limit=1`)
        expect(await answer.json()).toMatchObject({ pagination: { total: 300 } })
        expect(writtenIn(indexer, 'indexer')).toEqual(written['indexer'])
        expect(writtenIn(query, 'query')).toEqual(written['query'])
        expect(writtenIn(sample, 'sample')).toEqual(written['sample'])
        expect(await query.end()).toBe(0)
        expect(await indexer.end()).toBe(0)
      })
    })
  })
})

const writtenIn = (container: Container, name: string): Record<string, string[]> =>
  Object.fromEntries(Object.keys(written[name] ?? {}).map((folder) => [folder, container.list(folder)]))

function read(file: string): string {
  return readFileSync(join(projectRoot(), file), 'utf8')
}
