import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import type { Stats } from '../api/answers.js'
import { formatDay, formatShort } from '../text/format.js'
import { Chips } from './basic.js'

/** A value from a day on, until the next one. */
export interface Point {
  /** ISO-8601. */
  date: string
  value: number
}

const [width, height] = [600, 120]

/** The line through the points, which stays level between two days, and the ground below it. */
function pathsOf(points: Point[]): { line: string; ground: string } {
  const times = points.map(({ date }) => Date.parse(date))
  const [start = 0, end = 0] = [times[0], times.at(-1)]
  const values = points.map(({ value }) => value)
  // A tenth more than the range on either side, so that small changes of large numbers can be seen.
  const margin = Math.max(1, Math.max(...values) - Math.min(...values)) / 10
  const [low, high] = [Math.min(...values) - margin, Math.max(...values) + margin]
  const steps = points.map(({ value }, place) => {
    const x = (((times[place] ?? end) - start) / Math.max(1, end - start)) * width
    const y = height - ((value - low) / (high - low)) * height
    return place === 0 ? `M0 ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`
  })
  const line = steps.join('')
  return { line, ground: `${line}V${height}H0Z` }
}

interface LineChartProps {
  id: string
  title: string
  /** What the values count, in the plural. */
  unit: string
  /** The oldest first. */
  points: Point[]
}

/** How a number has changed. Nothing before it has been recorded on two days. */
export function LineChart({ id, title, unit, points }: LineChartProps) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) {
    return null
  }
  const { line, ground } = pathsOf(points)
  const said = ({ date, value }: Point) => `${formatCount(value, unit)} on ${formatDay(date)}`
  return (
    <section class="chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <svg
        class="line-chart"
        viewBox={`0 0 ${width} ${height}`}
        width="100%"
        height="112"
        fill="none"
        stroke="#0e5f4a"
        preserveAspectRatio="none"
        role="img"
        aria-label={`From ${said(first)} to ${said(last)}`}
      >
        <path class="line-ground" stroke="none" d={ground} />
        <path class="line" d={line} />
      </svg>
      <p class="line-ends">
        {[first, last].map((point) => (
          <span key={point.date}>
            <b>{formatNumber(point.value)}</b> {formatDay(point.date)}
          </span>
        ))}
      </p>
    </section>
  )
}

export interface Bar {
  text: string
  value: number
  isLowerBound?: boolean
  /** Null: it leads nowhere. */
  href: string | null
}

interface BarListProps {
  id: string
  title: string
  /** What the bars measure. */
  note: string
  bars: Bar[]
}

/** A bar chart whose rows are links: a list for readers without the picture. Nothing without bars. */
export function BarList({ id, title, note, bars }: BarListProps) {
  const largest = Math.max(1, ...bars.map(({ value }) => value))
  return bars.length === 0 ? null : (
    <section class="chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="quiet small">{note}</p>
      <ol class="bars">
        {bars.map(({ text, value, isLowerBound, href }) => (
          <li key={text}>
            <span class="bar-text" dir="auto">
              {href === null ? text : <a href={href}>{text}</a>}
            </span>
            <span class="bar-value">{`${formatNumber(value)}${isLowerBound ? '+' : ''}`}</span>
            <svg class="bar" width="100%" height="8" fill="#ddd" aria-hidden="true">
              <rect width="100%" height="100%" rx="4" />
              <rect
                class="bar-fill"
                fill="#0e5f4a"
                width={`${((100 * value) / largest).toFixed(2)}%`}
                height="100%"
                rx="4"
              />
            </svg>
          </li>
        ))}
      </ol>
    </section>
  )
}

const counted = ['skills', 'repositories', 'organizations', 'topics', 'prompts', 'stars'] as const

/** The size of the catalog. */
export const Totals = ({ totals }: { totals: Stats['totals'] }) => (
  <dl class="totals">
    {counted.map((name) => {
      const value = totals[name]
      return value === null || (value === 0 && name !== 'skills') ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={formatNumber(value)}>{value < 100_000 ? formatNumber(value) : formatShort(value)}</dd>
        </div>
      )
    })}
  </dl>
)

interface CommonValuesProps {
  title: string
  id: string
  values: { text: string; href: string }[]
}

/** Links to what the skills of a page often have. */
export const CommonValues = ({ title, id, values }: CommonValuesProps) =>
  values.length === 0 ? null : (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Chips links={values} />
    </section>
  )
