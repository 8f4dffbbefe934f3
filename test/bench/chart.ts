import type { Comparison } from './compare-searches.js'

const percentileNames = { p50Ms: 'p50', p95Ms: 'p95', p99Ms: 'p99' } as const

/** Colors of systems, legible on white and on black. */
const colors = ['#3b82d9', '#d97a1f', '#2e9e6b', '#a06bd1', '#d1506e']

/** Sizes in pixels. */
const layout = { width: 900, left: 80, right: 20, panel: 270, head: 44, foot: 36, barGap: 4, groupGap: 40 }

/** The shortest bar, in milliseconds: a logarithm has no zero. */
const minMs = 0.001

interface Panel {
  top: number
  /** Powers of ten. */
  from: number
  to: number
}

/**
 * Draws a bar chart as SVG: the p50, p95 and p99 of each system in milliseconds, on a logarithmic scale, with a panel for
 * each comparison. It follows the reader's light or dark color scheme.
 */
export function drawComparisons(comparisons: Comparison[]): string {
  const names = [...new Set(comparisons.flatMap(({ systems }) => systems.map(({ name }) => name)))]
  const legend = names.map((name, place) => {
    // Names differ in length; a letter is some 7 pixels wide.
    const x = layout.left + names.slice(0, place).reduce((sum, before) => sum + before.length * 7 + 36, 0)
    return `<rect x="${x}" y="14" width="12" height="12" fill="${colorOf(names, name)}"/>${text(x + 18, 24, name)}`
  })
  const panels = comparisons.map((comparison, place) =>
    drawPanel(comparison, names, layout.head + place * layout.panel),
  )
  const height = layout.head + comparisons.length * layout.panel
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${height}" role="img">
<title>Milliseconds of a search, by system</title>
<style>
  .ground { fill: #ffffff } text { font: 12px system-ui, sans-serif; fill: #1f2328 } line { stroke: #d0d7de }
  .title { font-weight: 600; font-size: 14px } .small { font-size: 10px }
  @media (prefers-color-scheme: dark) { .ground { fill: #0d1117 } text { fill: #e6edf3 } line { stroke: #3d444d } }
</style>
<rect class="ground" width="${layout.width}" height="${height}"/>
${[...legend, ...panels].join('\n')}
</svg>
`
}

function drawPanel({ title, systems }: Comparison, names: string[], top: number): string {
  const values = systems.flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms])
  const powerOf = (ms: number) => Math.log10(Math.max(minMs, ms))
  const from = Math.floor(powerOf(Math.min(...values)))
  const panel = { top, from, to: Math.max(from + 1, Math.ceil(powerOf(Math.max(...values)))) }
  const plotWidth = layout.width - layout.left - layout.right
  const groupWidth = plotWidth / 3
  const barWidth = (groupWidth - layout.groupGap) / systems.length - layout.barGap
  const groups = Object.entries(percentileNames).map(([measure, label], group) => {
    const left = layout.left + group * groupWidth + layout.groupGap / 2
    const bars = systems.map((system, place) =>
      drawBar(panel, {
        left: left + place * (barWidth + layout.barGap),
        width: barWidth,
        ms: system[measure as keyof typeof percentileNames],
        label: `${system.name}, ${label}`,
        color: colorOf(names, system.name),
      }),
    )
    const middle = left + (groupWidth - layout.groupGap) / 2
    return [...bars, text(middle, bottomOf(panel) + 18, label, 'text-anchor="middle"')].join('\n')
  })
  return [text(layout.left, top + 18, title, 'class="title"'), ...drawGrid(panel), ...groups].join('\n')
}

function drawGrid(panel: Panel): string[] {
  const powers = Array.from({ length: panel.to - panel.from + 1 }, (_, step) => panel.from + step)
  const axisY = (bottomOf(panel) + topOf(panel)) / 2
  return [
    ...powers.map((power) => {
      const y = heightOf(panel, 10 ** power)
      const label = text(layout.left - 8, y + 4, `${10 ** power} ms`.replace(/000 ms$/, ' s'), 'text-anchor="end"')
      return `<line x1="${layout.left}" x2="${layout.width - layout.right}" y1="${y}" y2="${y}"/>${label}`
    }),
    text(16, axisY, 'milliseconds, logarithmic', `text-anchor="middle" transform="rotate(-90 16 ${axisY})"`),
  ]
}

interface Bar {
  left: number
  width: number
  ms: number
  label: string
  color: string
}

function drawBar(panel: Panel, { left, width, ms, label, color }: Bar): string {
  const y = heightOf(panel, ms)
  const value = Number(ms.toPrecision(3))
  const rect = `<rect x="${round(left)}" y="${y}" width="${round(width)}" height="${round(bottomOf(panel) - y)}" fill="${color}">`
  return (
    `${rect}<title>${escaped(`${label}: ${value} ms`)}</title></rect>` +
    text(round(left + width / 2), y - 4, String(value), 'class="small" text-anchor="middle"')
  )
}

const topOf = ({ top }: Panel): number => top + layout.head

const bottomOf = ({ top }: Panel): number => top + layout.panel - layout.foot

/** The place of a time on the vertical axis. */
function heightOf(panel: Panel, ms: number): number {
  const share = (Math.log10(Math.max(minMs, ms)) - panel.from) / (panel.to - panel.from)
  return round(bottomOf(panel) - share * (bottomOf(panel) - topOf(panel)))
}

const colorOf = (names: string[], name: string): string => colors[names.indexOf(name) % colors.length] ?? ''

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const round = (value: number): number => Math.round(value * 10) / 10
