import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { Stats } from '../api/answers.js'
import { formatShort } from '../text/format.js'

const names = {
  skills: 'skills',
  repositories: 'repositories',
  organizations: 'organizations',
  topics: 'topics',
  prompts: 'prompts',
  stars: 'stars',
} as const satisfies Record<keyof Stats['totals'], string>

/** The size of the catalog. */
export const Totals = ({ totals }: { totals: Stats['totals'] }) => (
  <dl class="totals">
    {Object.entries(names).map(([name, text]) => {
      const value = totals[name as keyof typeof names]
      return value === null || (value === 0 && name !== 'skills') ? null : (
        <div key={name}>
          <dt>{text}</dt>
          <dd title={formatNumber(value)}>{value < 100_000 ? formatNumber(value) : formatShort(value)}</dd>
        </div>
      )
    })}
  </dl>
)
