import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { QueryMetrics } from '../../services/query/observability/metrics.js'

test('searches without a vector are counted, from 0', async () => {
  const registry = new Registry()
  const metrics = new QueryMetrics(registry, { alone: false })
  const counted = async () =>
    (await registry.getSingleMetricAsString('catalog_search_degraded_total')).split('\n').at(-1)

  expect(await counted()).toBe('catalog_search_degraded_total 0')
  metrics.searchDegraded()
  metrics.searchDegraded()
  expect(await counted()).toBe('catalog_search_degraded_total 2')
})
