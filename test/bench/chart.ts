import { writeFileSync } from 'node:fs'
import type { Comparison } from './compare-searches.js'

/** Bars of several series, on a logarithmic scale. */
export interface BarPanel {
  title: string
  /** `ms`; a thousand of it is shown as `1000 ms`. */
  unit: string
  /** What the scale measures: `milliseconds`. */
  axis: string
  /** Each with a bar for every series that it has. */
  groups: { label: string; values: Record<string, number> }[]
}

/** Colors of series, legible on white and on black. */
const colors = ['#3b82d9', '#d97a1f', '#2e9e6b', '#a06bd1', '#d1506e']

/** Sizes in pixels. */
const layout = { width: 900, left: 80, right: 20, panel: 270, head: 44, foot: 36, barGap: 4, groupGap: 40 }

/** The shortest bar: a logarithm has no zero. */
const minValue = 0.001

interface Scale {
  top: number
  /** Powers of ten. */
  from: number
  to: number
}

/** Draws the p50, p95 and p99 of each system, with a panel for each comparison. @param path undefined: nowhere */
export function drawComparisons(path: string | undefined, comparisons: Comparison[]): void {
  const panels = comparisons.map(({ title, systems }) => ({
    title,
    unit: 'ms',
    axis: 'milliseconds',
    groups: (['p50', 'p95', 'p99'] as const).map((label) => ({
      label,
      values: Object.fromEntries(systems.map((system) => [system.name, system[`${label}Ms`]])),
    })),
  }))
  drawBars(path, 'Milliseconds of a search, by system', panels)
}

/** Draws a bar chart as SVG into a file, where one is named. It follows the reader's light or dark color scheme. */
export function drawBars(path: string | undefined, title: string, panels: BarPanel[]): void {
  if (path === undefined) {
    return
  }
  const names = [...new Set(panels.flatMap(({ groups }) => groups.flatMap(({ values }) => Object.keys(values))))]
  const legend = names.map((name, place) => {
    // Names differ in length; a letter is some 7 pixels wide.
    const x = layout.left + names.slice(0, place).reduce((sum, before) => sum + before.length * 7 + 36, 0)
    return `<rect x="${x}" y="14" width="12" height="12" fill="${colorOf(names, name)}"/>${text(x + 18, 24, name)}`
  })
  const height = layout.head + panels.length * layout.panel
  const chart = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
  .ground { fill: #ffffff } text { font: 12px system-ui, sans-serif; fill: #1f2328 } line { stroke: #d0d7de }
  .title { font-weight: 600; font-size: 14px } .small { font-size: 10px }
  @media (prefers-color-scheme: dark) { .ground { fill: #0d1117 } text { fill: #e6edf3 } line { stroke: #3d444d } }
</style>
<rect class="ground" width="${layout.width}" height="${height}"/>
${[...legend, ...panels.map((panel, place) => drawPanel(panel, names, layout.head + place * layout.panel))].join('\n')}
</svg>
`
  writeFileSync(path, chart)
}

function drawPanel(panel: BarPanel, names: string[], top: number): string {
  const values = panel.groups.flatMap((group) => Object.values(group.values))
  const powerOf = (value: number) => Math.log10(Math.max(minValue, value))
  const from = Math.floor(powerOf(Math.min(...values)))
  const scale = { top, from, to: Math.max(from + 1, Math.ceil(powerOf(Math.max(...values)))) }
  const groupWidth = (layout.width - layout.left - layout.right) / panel.groups.length
  const barWidth = (groupWidth - layout.groupGap) / names.length - layout.barGap
  const groups = panel.groups.map((group, number) => {
    const left = layout.left + number * groupWidth + layout.groupGap / 2
    const bars = Object.entries(group.values).map(([name, value]) =>
      drawBar(scale, {
        left: left + names.indexOf(name) * (barWidth + layout.barGap),
        width: barWidth,
        value,
        label: `${name}, ${group.label}: ${Number(value.toPrecision(3))} ${panel.unit}`,
        color: colorOf(names, name),
      }),
    )
    const middle = left + (groupWidth - layout.groupGap) / 2
    return [...bars, text(middle, bottomOf(scale) + 18, group.label, 'text-anchor="middle"')].join('\n')
  })
  return [text(layout.left, top + 18, panel.title, 'class="title"'), ...drawGrid(scale, panel), ...groups].join('\n')
}

function drawGrid(panel: Scale, { unit, axis }: BarPanel): string[] {
  const powers = Array.from({ length: panel.to - panel.from + 1 }, (_, step) => panel.from + step)
  const axisY = (bottomOf(panel) + topOf(panel)) / 2
  return [
    ...powers.map((power) => {
      const y = heightOf(panel, 10 ** power)
      const label = text(layout.left - 8, y + 4, `${10 ** power} ${unit}`.replace(/000 ms$/, ' s'), 'text-anchor="end"')
      return `<line x1="${layout.left}" x2="${layout.width - layout.right}" y1="${y}" y2="${y}"/>${label}`
    }),
    text(16, axisY, `${axis}, logarithmic`, `text-anchor="middle" transform="rotate(-90 16 ${axisY})"`),
  ]
}

interface Bar {
  left: number
  width: number
  value: number
  label: string
  color: string
}

function drawBar(scale: Scale, { left, width, value, label, color }: Bar): string {
  const y = heightOf(scale, value)
  const height = round(bottomOf(scale) - y)
  const rect = `<rect x="${round(left)}" y="${y}" width="${round(width)}" height="${height}" fill="${color}">`
  return (
    `${rect}<title>${escaped(label)}</title></rect>` +
    text(round(left + width / 2), y - 4, String(Number(value.toPrecision(3))), 'class="small" text-anchor="middle"')
  )
}

const topOf = ({ top }: Scale): number => top + layout.head

const bottomOf = ({ top }: Scale): number => top + layout.panel - layout.foot

/** The place of a value on the vertical axis. */
function heightOf(panel: Scale, value: number): number {
  const share = (Math.log10(Math.max(minValue, value)) - panel.from) / (panel.to - panel.from)
  return round(bottomOf(panel) - share * (bottomOf(panel) - topOf(panel)))
}

const colorOf = (names: string[], name: string): string => colors[names.indexOf(name) % colors.length] ?? ''

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const round = (value: number): number => Math.round(value * 10) / 10
