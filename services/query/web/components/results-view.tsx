import { formatCount } from '../../../../shared/text/format-numbers.js'
import { useControls } from '../search/explorer-context.js'
import type { ExplorerData, Results } from '../search/load-explorer.js'
import { filterInstead, isDistinct, nothing, type SearchState } from '../search/search-state.js'
import { resultsId } from '../search/use-explorer.js'
import { FilterPanel } from './filter-panel.js'
import { EmptyCatalog, Notice } from './notice.js'
import { Pager } from './pager.js'
import { SkillList } from './skill-list.js'
import { SortLinks } from './sort-links.js'
import { StateLink } from './state-link.js'

const summary = ({ total, totalIsLowerBound }: Results, state: SearchState): string =>
  `${formatCount(total, isDistinct(state) ? 'repositories' : 'skills')}${totalIsLowerBound ? ' or more' : ''}${state.q === '' ? '' : ` for “${state.q}”`}`

function NoResults({ words, isEmpty }: { words: string; isEmpty: boolean }) {
  return isEmpty ? (
    <EmptyCatalog />
  ) : (
    <Notice title="No skill matches">
      <p>
        Use fewer or other words, or{' '}
        <StateLink change={() => ({ ...nothing, q: words })}>search without filters</StateLink>. You can also{' '}
        <StateLink change={() => ({ ...nothing, sort: 'stars' })}>see all skills</StateLink>.
      </p>
    </Notice>
  )
}

interface Props {
  data: ExplorerData
  results: Results
  /** Whether the results are not those that the reader wants. */
  isStale: boolean
  isBusy: boolean
}

/** The results of a search or of filters. */
export function ResultsView({ data, results, isStale, isBusy }: Props) {
  const { wanted } = useControls()
  const { page } = data.state
  return (
    <div class="results-columns">
      <FilterPanel data={data} />
      <section class="results" id={resultsId} tabIndex={-1} aria-labelledby="result-count">
        <div class="results-head">
          <p id="result-count" role="status" dir="auto">
            {isStale ? '' : summary(results, data.state)}
          </p>
          <SortLinks />
        </div>
        {results.degraded ? (
          <p class="quiet small">
            A model of this catalog does not answer at the moment: the words of your text count more than usual.
          </p>
        ) : null}
        {isStale
          ? null
          : results.hints.map((hint) => (
              <p class="quiet small" key={hint.text}>
                <bdi>{hint.text}</bdi> is searched for as text.{' '}
                <StateLink change={(state) => filterInstead(state, hint)}>
                  Show only the {hint.parameter === 'license' ? 'licence' : hint.parameter} <bdi>{hint.value}</bdi>
                </StateLink>
              </p>
            ))}
        {results.total === 0 && !isStale ? (
          <NoResults words={wanted.q} isEmpty={data.stats?.totals.skills === 0} />
        ) : null}
        <SkillList skills={results.hits} label="Skills" isBusy={isBusy || isStale} />
        <Pager
          page={page}
          totalPages={results.totalPages}
          link={(number, rel, text) => (
            <StateLink rel={rel} change={(state) => ({ ...state, page: number })}>
              {text}
            </StateLink>
          )}
        />
      </section>
    </div>
  )
}
