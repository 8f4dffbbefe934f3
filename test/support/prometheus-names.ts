/** A selector of an expression: `up{job="skill-catalog"}`. */
export interface Selector {
  metric: string
  /** Its labels, with the values they are compared with. */
  labels: Record<string, string>
}

/** The selectors of an expression. Each has braces: a metric without them would be that of any application. */
export const selectorsOf = (expression: string): Selector[] =>
  [...expression.matchAll(/([a-z_]\w*)\s*\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: Object.fromEntries(
      [...matchers.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g)].map(([, name, value]) => [String(name), String(value)]),
    ),
  }))

/** The names of metrics in an expression that stand without braces. */
export const bareMetricsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:catalog|nodejs|process)_\w+\b(?!\s*\{)/g)].map(([name]) => name)

/** The labels by which an expression groups. */
export const groupsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )

/** The metrics of a page of `/metrics`, those of histograms by all of their names, each with the labels of its samples. */
export function metricsOf(page: string): Map<string, Set<string>> {
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
