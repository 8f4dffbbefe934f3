import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readIndexerConfig } from '../../services/indexer/config.js'
import { readServersConfig } from '../../shared/runtime/config.js'
import { healthPaths, readOperationsConfig } from '../../shared/runtime/operations.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { readQueryConfig } from '../../shared/runtime/query-config.js'
import { shutdownDeadlineMs } from '../../shared/runtime/run-service.js'
import { composeServices } from '../support/compose-file.js'
import {
  deploymentsIn,
  kustomizationOf,
  type Manifest,
  manifestsIn,
  type PodContainer,
  textsOf,
} from '../support/kubernetes-manifests.js'
import { runProgram, whenProgram } from '../support/programs.js'

const read = (file: string) => readFileSync(join(projectRoot(), file), 'utf8')
const dockerfile = read('infra/docker/Dockerfile')
const base = textsOf('base').slice(1).flatMap(manifestsIn)
const deployments = deploymentsIn(base)

/** Variables that hold a password, or an address with one. */
const secret = /^(MONGODB_URL|MEILI_URL|(RATE_LIMIT_)?REDIS_URL|\w*(KEY|PASSWORD|TOKEN|SECRET))$/

test('the two services are deployed', () => {
  expect(deployments.map(({ name }) => name).sort()).toEqual(['indexer', 'query'])
})

test.each(deployments)('$name gets only variables that it reads, with valid values', ({ name, container }) => {
  const known = new Set<string>()
  const values = environmentOf(container)
  const watched = new Proxy<NodeJS.ProcessEnv>(values, {
    get: (target, variable) => {
      known.add(String(variable))
      return Reflect.get(target, variable)
    },
  })

  readServersConfig(watched)
  const readConfig = name === 'query' ? readQueryConfig : readIndexerConfig
  readConfig(watched)
  const { port } = readOperationsConfig(watched)

  expect(Object.keys(values).filter((variable) => !known.has(variable) && !/^(HOST|PORT)$/.test(variable))).toEqual([])
  expect(portsOf(container)).toMatchObject({ operations: port })
  expect(portsOf(container)['http']).toBe(name === 'query' ? readQueryConfig(values).port : undefined)
})

test('the query service trusts only the ingress controller for client addresses', () => {
  const trusted = deployments
    .filter(({ name }) => name === 'query')
    .map(({ container }) => readQueryConfig(environmentOf(container)).trustedProxies)

  expect(trusted).toEqual([1])
})

test.each(deployments)('$name takes addresses and passwords from a Secret', ({ container }) => {
  const clear = container.env.filter(({ valueFrom }) => valueFrom === undefined).map(({ name }) => name)
  const literals = Object.keys(literalsOf('base')).concat(Object.keys(literalsOf('example')))

  expect(container.env.map(({ name }) => name)).toContain('MONGODB_URL')
  expect([...clear, ...literals].filter((name) => secret.test(name))).toEqual([])
})

test('no file holds a secret', () => {
  const texts = [...textsOf('base'), ...textsOf('example')]

  expect(texts.filter((text) => /^kind: Secret$|:\/\/[^/\s]*:[^/\s]*@/m.test(text))).toEqual([])
})

test.each(deployments)('the probes of $name ask for paths and ports that are served', ({ container }) => {
  const { livenessProbe, readinessProbe } = container

  // The API's port is not open while the service waits for MongoDB.
  expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'operations' })
  expect(healthPaths).toContain(readinessProbe.httpGet.path)
  expect(Object.keys(portsOf(container))).toContain(readinessProbe.httpGet.port)
})

test.each(deployments)('$name has the time that it needs to end', ({ pod, container }) => {
  const waitSeconds = container.lifecycle?.preStop.sleep.seconds ?? 0

  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(waitSeconds + shutdownDeadlineMs / 1_000)
})

test.each(deployments)('$name runs the image and the program that are built', ({ name, container }) => {
  const [program = ''] = /dist\/[\w/]+\.js/.exec((container.command ?? [dockerfile]).join(' ')) ?? []

  expect(container.image).toBe(composeServices[name]?.image)
  expect(program).toBe(`dist/services/${name}/main.js`)
  expect(existsSync(join(projectRoot(), program.replace(/^dist\/(.*)\.js$/, '$1.ts')))).toBe(true)
})

test('the example names the version of the image', () => {
  const { version } = JSON.parse(read('package.json'))
  const [image] = kustomizationOf('example').images ?? []

  expect(image).toMatchObject({ name: deployments[0]?.container.image, newTag: version })
  expect(/^ARG VERSION=(.*)$/m.exec(dockerfile)?.[1]).toBe(version)
})

test.each(deployments)('$name has no more rights than it needs', ({ name, pod, container }) => {
  const [, user] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? []

  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: Number(user), seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(composeServices[name]?.tmpfs)
})

test.each(deployments)('$name may use as much memory as its container in docker-compose.yml', ({ name, container }) => {
  const { limits, requests } = container.resources

  expect(limits['memory']).toBe(composeServices[name]?.mem_limit.replace(/[mg]$/, (unit) => `${unit.toUpperCase()}i`))
  expect(Object.keys(requests).sort()).toEqual(['cpu', 'ephemeral-storage', 'memory'])
})

test.each(deployments)('$name is what its disruption budget and its network policy select', ({ name, labels }) => {
  const selected = (kind: string, member: string) => base.find(isOf(kind, name))?.spec[member]

  expect(selected('PodDisruptionBudget', 'selector')).toEqual({ matchLabels: labels })
  expect(selected('NetworkPolicy', 'podSelector')).toEqual({ matchLabels: labels })
})

test('the query service is reachable from the ingress controller, the indexer only for its metrics', () => {
  const admitted = (name: string) =>
    base
      .filter(isOf('NetworkPolicy', name))
      .flatMap(({ spec }) => spec['ingress'] as { ports: { port: string }[] }[])
      .flatMap(({ ports }) => ports.map(({ port }) => port))

  expect(admitted('query')).toEqual(['http', 'operations'])
  expect(admitted('indexer')).toEqual(['operations'])
  expect(base.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec['selector'])).toEqual([
    deployments.find(({ name }) => name === 'query')?.labels,
  ])
})

test('the services may ask every DNS of a cluster, and an embedder where that is added', () => {
  const dns = base
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => (spec['egress'] as { to?: { ipBlock?: { cidr: string } }[]; ports: { port: number }[] }[])[0])
  const [embedder] = manifestsIn(read('infra/k8s/example/embedder.yml'))
  const selected = embedder?.spec['podSelector'] as { matchLabels: Record<string, string> } | undefined

  expect(dns).toHaveLength(2)
  for (const rule of dns) {
    expect(rule?.ports.map(({ port }) => port)).toEqual([53, 53])
    expect(rule?.to?.map(({ ipBlock }) => ipBlock?.cidr ?? null)).toEqual([null, '169.254.20.10/32'])
  }
  expect(embedder?.kind).toBe('NetworkPolicy')
  expect(selected?.matchLabels).toEqual({ 'app.kubernetes.io/name': 'skill-catalog' })
  for (const { labels } of deployments) {
    expect(labels).toMatchObject(selected?.matchLabels ?? {})
  }
})

test('the autoscaler scales the query service, whose Deployment sets no number', () => {
  expect(base.find(isOf('HorizontalPodAutoscaler', 'query'))?.spec['scaleTargetRef']).toMatchObject({ name: 'query' })
  expect(base.find(isOf('Deployment', 'query'))?.spec).not.toHaveProperty('replicas')
})

whenProgram('kustomize', ['version'], () => {
  test.each(['base', 'example'] as const)('the %s is built', async (name) => {
    const { status, stdout } = await runProgram('kustomize', ['build', join(projectRoot(), 'infra/k8s', name)])
    const built = manifestsIn(stdout)

    expect(status).toBe(0)
    expect(deploymentsIn(built).map(({ container }) => container.envFrom[0]?.configMapRef.name)).toEqual([
      expect.stringMatching(/^indexer-/),
      expect.stringMatching(/^query-/),
    ])
    const egress = built
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap(({ spec }) => spec['egress'] as { to?: unknown }[])
    expect(egress.filter(({ to }) => to === undefined)).toHaveLength(name === 'example' ? 0 : 2)
  })
})

const isOf =
  (wanted: string, name: string) =>
  ({ kind, metadata }: Manifest): boolean =>
    kind === wanted && metadata.name === name

const portsOf = ({ ports }: PodContainer): Record<string, number> =>
  Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]))

/** The settings of a kustomization's ConfigMap; without a name those of all of them. */
const literalsOf = (folder: 'base' | 'example', map?: string): Record<string, string> =>
  Object.fromEntries(
    kustomizationOf(folder)
      .configMapGenerator.filter(({ name }) => map === undefined || name === map)
      .flatMap(({ literals }) => literals)
      .map((literal) => /^([^=]+)=(.*)$/.exec(literal)?.slice(1) ?? []),
  )

/** The variables of a container: those of the image, of its ConfigMap in the example, and of its Secret with valid values. */
function environmentOf({ env, envFrom }: PodContainer): Record<string, string> {
  const image = /^ENV (.*)$/m.exec(dockerfile)?.[1]?.split(' ') ?? []
  const maps = envFrom.flatMap(({ configMapRef: { name } }) => [literalsOf('base', name), literalsOf('example', name)])
  const example = (name: string) =>
    name === 'OPERATIONS_TOKEN'
      ? 'sixteen-letters!'
      : name === 'MONGODB_URL'
        ? 'mongodb://h/catalog'
        : name.endsWith('REDIS_URL')
          ? 'redis://h:6379/0'
          : 'http://h:7700'
  return Object.assign(
    Object.fromEntries(image.map((pair) => pair.split('=')).filter(([name]) => name !== 'NODE_ENV')),
    ...maps,
    Object.fromEntries(env.map(({ name, value }) => [name, value ?? example(name)])),
  )
}
