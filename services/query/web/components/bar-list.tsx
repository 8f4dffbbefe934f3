import { formatNumber } from '../../../../shared/text/format-numbers.js'

export interface Bar {
  text: string
  value: number
  /** Whether the value is a lower bound. */
  isLowerBound?: boolean
  /** Null: it leads nowhere. */
  href: string | null
}

interface Props {
  id: string
  title: string
  /** What the bars measure. */
  note: string
  bars: Bar[]
}

/** A bar chart whose rows are links: a list for readers without the picture. Nothing without bars. */
export function BarList({ id, title, note, bars }: Props) {
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
