import { formatNumber } from '../../../../shared/text/format-numbers.js'
import { formatDay } from '../text/format.js'

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

interface Props {
  id: string
  title: string
  /** What the values count, in the plural. */
  unit: string
  /** The oldest first. */
  points: Point[]
}

/** How a number has changed. Nothing before it has been recorded on two days. */
export function LineChart({ id, title, unit, points }: Props) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) {
    return null
  }
  const { line, ground } = pathsOf(points)
  const said = ({ date, value }: Point) => `${formatNumber(value)} ${unit} on ${formatDay(date)}`
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
