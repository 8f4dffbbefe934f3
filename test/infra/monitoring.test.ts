import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { jobs } from '../../services/indexer/jobs.js'
import { endpoints } from '../../services/query/endpoints.js'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { freePort } from '../support/local-server.js'
import { callTool, mcpOverHttp } from '../support/mcp-client.js'
import { freshDatabase } from '../support/mongo-database.js'
import { runProgram, whenProgram } from '../support/programs.js'
import { sampleFolder } from '../support/sample-folder.js'
import { meiliKey, whenServer } from '../support/servers.js'
import { greetingEnd, nodeStart, serviceStart, started } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const folder = join(projectRoot(), 'infra/grafana')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const panels = (JSON.parse(read('dashboard.json')) as { panels: Panel[] }).panels
const charts = panels.filter(({ type }) => type !== 'row')
const charted = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const expressions = [...rules.map(({ expr }) => expr), ...charted]

/** Names that Prometheus adds: its metric, and the labels of a target. */
const ownMetric = 'up'
const ownLabels = ['job', 'instance', 'le']

test('every expression selects the metrics of this scrape job', () => {
  const { scrape_configs: jobsOfPrometheus } = parse(read('prometheus.yml'))
  const selectors = expressions.flatMap(selectorsOf)

  expect(expressions.flatMap(bareMetricsOf)).toEqual([])
  expect(new Set(selectors.map(({ labels }) => labels['job']))).toEqual(new Set([jobsOfPrometheus[0].job_name]))
  expect(parse(read('prometheus-kubernetes.yml')).scrape_configs[0].job_name).toBe(jobsOfPrometheus[0].job_name)
})

test('every alert has a severity, a remedy and a test in which it fires', () => {
  const { tests } = parse(read('alerts.test.yml'), { merge: true }) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[]
  }
  const firing = tests
    .flatMap(({ alert_rule_test }) => alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname)

  expect(new Set(firing)).toEqual(new Set(rules.map(({ alert }) => alert)))
  expect(rules.map(({ labels }) => labels.severity).filter((each) => !/^(critical|warning)$/.test(each))).toEqual([])
  expect(rules.filter(({ annotations }) => !annotations.summary || !annotations.description)).toEqual([])
})

test('the panels of the dashboard do not overlap', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  )

  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
})

test('endpoints and jobs that an expression names are there', () => {
  const named = (label: string) => expressions.flatMap(selectorsOf).flatMap(({ labels }) => labels[label] ?? [])

  expect(endpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(named('endpoint')))
  expect(jobs.servers.map(({ name }) => name)).toEqual(
    expect.arrayContaining(named('exported_job').flatMap((names) => names.split('|'))),
  )
})

describe('the metrics of a started service', () => {
  test('embedded: dashboard and rules use no others, and the dashboard shows all of the catalog', async () => {
    const port = await freePort()
    const service = nodeStart({ DATA_DIR: await sampleFolder(), METRICS_PORT: String(port), LOG_LEVEL: 'warn' })
    const url = await started(service)
    await useService(url)
    const metrics = metricsOf(await pageOf(port, 'catalog_job_runs_total{'))

    // There is only one index.
    expectOnly(new Map([...metrics, ['catalog_index_server_up', new Set(['server'])]]))
    const shown = new Set(charted.flatMap(selectorsOf).map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')))
    const ofCatalog = [...metrics.keys()].filter((name) => name.startsWith('catalog_'))
    expect(ofCatalog.filter((name) => !shown.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([])
    service.signal('SIGTERM')
    expect(await service.ended).toBe(0)
  })

  whenServer('mongodb', (mongodb) => {
    whenServer('meilisearch', (meilisearch) => {
      whenServer('redis', (redis) => {
        test('on servers: dashboard and rules use no others', async () => {
          const env = {
            MONGODB_URL: freshDatabase(mongodb()),
            // The metrics of several search servers, one of which is down.
            MEILI_URL: `${meilisearch()}, http://127.0.0.1:1`,
            MEILI_KEY: meiliKey,
            REDIS_URL: redis(),
            LOG_LEVEL: 'warn',
          }
          const [indexerPort, queryPort] = [await freePort(), await freePort()]
          const indexer = serviceStart('indexer', { ...env, METRICS_PORT: String(indexerPort) })
          const query = serviceStart('query', { ...env, METRICS_PORT: String(queryPort) })
          await indexer.says(greetingEnd)
          await useService(await started(query))

          expectOnly(
            new Map([
              ...metricsOf(await pageOf(queryPort, 'catalog_http_requests_total{')),
              ...metricsOf(await pageOf(indexerPort, 'catalog_job_runs_total{')),
              // Servers have no data folder.
              ['catalog_disk_free_bytes', new Set()],
            ]),
          )
          for (const service of [indexer, query]) {
            service.signal('SIGTERM')
          }
          expect(await Promise.all([indexer.ended, query.ended])).toEqual([0, 0])
        })
      })
    })
  })
})

whenProgram('promtool', ['--version'], () => {
  test.each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['check', 'config', 'prometheus-kubernetes.yml'],
  ])('promtool %s %s %s', async (verb, kind, file) => {
    expect(await runProgram('promtool', [verb, kind, join(folder, file)])).toMatchObject({ status: 0 })
  })

  test('the expressions of the dashboard are valid', async () => {
    const file = join(temporaryFolder(), 'charted.yml')
    const recorded = charted.map((expr, at) => ({
      record: `chart_${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }))
    writeFileSync(file, stringify({ groups: [{ name: 'charted', rules: recorded }] }))

    expect(await runProgram('promtool', ['check', 'rules', file])).toMatchObject({ status: 0 })
  })
})

/** Every metric that an expression names is one of these, with the labels by which it selects and groups. */
function expectOnly(metrics: Map<string, Set<string>>): void {
  const unknown = expressions.flatMap((expression) =>
    selectorsOf(expression)
      .filter(({ metric }) => metric !== ownMetric)
      .flatMap(({ metric, labels }) => {
        // Prometheus stores our label `job` under another name.
        const exported = [...(metrics.get(metric) ?? [])].map((label) => (label === 'job' ? 'exported_job' : label))
        const used = [...Object.keys(labels), ...groupsOf(expression)]
        const missing = used.filter((label) => !ownLabels.includes(label) && !exported.includes(label))
        return metrics.has(metric) ? missing.map((label) => `${metric}{${label}}`) : [metric]
      }),
  )

  expect(unknown).toEqual([])
}

/** Sends requests that labelled metrics count. */
async function useService(url: string): Promise<void> {
  await fetch(`${url}/api/v1/skills/search?q=pdf`)
  await callTool(await mcpOverHttp(url), 'search_skills', { q: 'pdf' })
}

/** A page of metrics that has this. */
async function pageOf(port: number, sample: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    if (text.includes(sample)) {
      return text
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A selector of an expression: `up{job="skill-catalog"}`. */
interface Selector {
  metric: string
  /** Its labels, with the values they are compared with. */
  labels: Record<string, string>
}

/** The selectors of an expression. Each has braces: a metric without them would be that of any application. */
const selectorsOf = (expression: string): Selector[] =>
  [...expression.matchAll(/([a-z_]\w*)\s*\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: Object.fromEntries(
      [...matchers.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g)].map(([, name, value]) => [String(name), String(value)]),
    ),
  }))

/** The names of metrics in an expression that stand without braces. */
const bareMetricsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:catalog|nodejs|process)_\w+\b(?!\s*\{)/g)].map(([name]) => name)

/** The labels by which an expression groups. */
const groupsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )

/** The metrics of a page of `/metrics`, those of histograms by all of their names, each with the labels of its samples. */
function metricsOf(page: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const [, name = '', type = ''] of page.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    for (const each of names) {
      metrics.set(each, new Set())
    }
  }
  for (const [, name = '', labels = ''] of page.matchAll(/^(\w+)\{([^}]*)\} /gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) {
      metrics.get(name)?.add(label)
    }
  }
  return metrics
}
