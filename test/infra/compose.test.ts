import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { readIndexerConfig } from '../../services/indexer/config.js'
import { readServersConfig } from '../../shared/runtime/config.js'
import { readOperationsConfig } from '../../shared/runtime/operations.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { readQueryConfig } from '../../shared/runtime/query-config.js'
import { composeSecret, composeServices, composeText } from '../support/compose-file.js'

const read = (file: string) => readFileSync(join(projectRoot(), file), 'utf8')
const services = Object.entries(composeServices)
/** The services that run permanently; the others run once, on demand or at each start. */
const permanent = services.filter(([, { profiles, restart }]) => profiles === undefined && restart !== 'on-failure')
const ours = services.filter(([, { image }]) => image === 'skill-catalog')

test('the replica set is made once MongoDB answers, and before the indexer starts', () => {
  expect(composeServices['mongo-replica-set']).toMatchObject({
    depends_on: { mongo: { condition: 'service_healthy' } },
    mem_limit: '256m',
    networks: ['back'],
  })
  expect(composeServices['indexer']).toMatchObject({
    depends_on: {
      'mongo-replica-set': { condition: 'service_completed_successfully' },
    },
  })
})

test.each(permanent)('%s has a health check, a restart policy and limits', (_, service) => {
  expect(service.healthcheck.test?.[0]).toMatch(/^CMD/)
  expect(service.restart).toBe('unless-stopped')
  expect(service.mem_limit).toMatch(/^\d+[mg]$/)
  expect(service.logging.options).toHaveProperty('max-size')
})

test.each(services)('%s has no more rights than it needs', (_, service) => {
  expect(service.read_only).toBe(true)
  expect(service.cap_drop).toEqual(['ALL'])
  expect(service.security_opt).toContain('no-new-privileges:true')
})

test.each(services)('%s has no password in a command line', (_, { entrypoint, command, healthcheck }) => {
  expect(JSON.stringify([entrypoint, command, healthcheck.test])).not.toContain(composeSecret)
})

test('only the API is published', () => {
  expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['nginx'])
})

test('mounted files of the project exist', () => {
  const mounted = services
    .flatMap(([, { volumes }]) => volumes ?? [])
    .flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? [])

  expect(mounted.length).toBeGreaterThan(0)
  expect(mounted.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([])
})

test('the commands of the image are built from existing sources', () => {
  const run = [read('infra/docker/Dockerfile'), read('infra/docker/catalog'), composeText].join('\n')
  const programs = [...run.matchAll(/dist\/(services\/[\w/-]+)\.js/g)].map(([, path]) => `${path}.ts`)
  const scripts = [...run.matchAll(/infra\/docker\/[\w-]+\.js/g)].map(([path]) => path)

  expect(new Set(programs)).toEqual(
    new Set(['services/query/main.ts', 'services/indexer/main.ts', 'services/standalone/cli/main.ts']),
  )
  expect([...programs, ...scripts].filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([])
})

test.each(ours)('%s gets only variables that it reads, with valid values', (_, { environment }) => {
  const values = withValues(environment)
  // Node and SQLite read it: the folder of temporary files.
  const known = new Set<string>(['TMPDIR'])
  const watched = new Proxy(values, {
    get: (target, name) => {
      known.add(String(name))
      return Reflect.get(target, name)
    },
  })

  expect(readServersConfig(watched).rateLimitRedisUrl).toBe(`redis://:${composeSecret}@redis-limits:6379/0`)
  readQueryConfig(watched)
  readIndexerConfig(watched)
  readOperationsConfig(watched)

  expect(Object.keys(environment ?? {}).filter((name) => !known.has(name))).toEqual([])
})

test('query services trust only nginx for client addresses', () => {
  const query = new Map(services).get('query')

  expect(readQueryConfig(withValues(query?.environment)).trustedProxies).toBe(1)
})

test('every variable is explained in .env.example, and no secret has a value', () => {
  const example = read('.env.example')
  const required = [...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  const optional = [
    ...[...composeText.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name),
    ...ours
      .flatMap(([, { environment }]) => Object.entries(environment ?? {}))
      .flatMap(([name, value]) => (value === null ? [name] : [])),
  ]

  expect(required).not.toEqual([])
  expect(required.filter((name) => !new RegExp(`^${name}=$`, 'm').test(example))).toEqual([])
  expect(optional.filter((name) => !new RegExp(`^#${name}=`, 'm').test(example))).toEqual([])
})

test('the file for connections to the outside adds a network to those that our services have', () => {
  const outside = parse(read('infra/docker/outside.yml')) as {
    services: Record<string, { networks: string[] }>
    networks: Record<string, unknown>
  }

  expect(outside.networks).toEqual({ outside: null })
  expect(Object.keys(outside.services)).toEqual(['query', 'indexer'])
  for (const [name, { networks, ...others }] of Object.entries(outside.services)) {
    expect({ name, networks }).toEqual({ name, networks: [...(composeServices[name]?.networks ?? []), 'outside'] })
    expect(others).toEqual({})
  }
})

test('the file for a model that the services run sets what they read, and has the image built for it', () => {
  const { services: changed } = parse(
    read('infra/docker/onnx.yml').replace(/\$\{ONNX_MODEL:[^}]*\}/g, '/srv/model'),
  ) as {
    services: Record<string, { environment: Record<string, string>; volumes: string[]; build?: object }>
  }

  expect(Object.keys(changed)).toEqual(['query', 'indexer'])
  for (const { environment, volumes } of Object.values(changed)) {
    expect(
      readServersConfig({ ...withValues(composeServices['query']?.environment), ...environment }).embedder,
    ).toEqual({
      kind: 'onnx',
      folder: '/opt/model',
    })
    expect(volumes).toEqual(['/srv/model:/opt/model:ro'])
  }
  expect(changed['indexer']?.build).toEqual({ args: { ONNX: 'on' } })
  expect(read('infra/docker/Dockerfile')).toContain('ARG ONNX=off')
})

/** The environment of a service: a variable without a value takes that of the machine, which is unset here. */
const withValues = (environment: Record<string, string | null> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  )
