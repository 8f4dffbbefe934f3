import { useEffect } from 'preact/hooks'
import { FirstView } from '../components/first-view.js'
import { FailureNotice, ResultsView } from '../components/results-view.js'
import { SearchBox } from '../components/search-box.js'
import { Examples, Hero } from '../components/site.js'
import { type ExplorerData, titleOf } from '../search/search-state.js'
import { useKeptFocus } from '../search/use-combobox.js'
import { ExplorerProvider, useExplorer } from '../search/use-explorer.js'

/** The explorer: the first view, or the results of a search. */
export function ExplorerView(initial: ExplorerData) {
  const explorer = useExplorer(initial)
  const { data, failure, isBusy, retry } = explorer
  const { results, state } = data
  useKeptFocus(explorer)
  useEffect(() => {
    document.title = titleOf(state)
  }, [state])
  return (
    <ExplorerProvider value={explorer}>
      <div class={results === null ? 'first-view' : 'results-view'}>
        {results === null ? (
          <Hero />
        ) : (
          <h1 class="hidden-text">{state.q === '' ? 'Skills' : `Skills for “${state.q}”`}</h1>
        )}
        {/* The key keeps the box, and the focus in it, when the view around it changes. */}
        <SearchBox key="search-box" size="large" />
        {failure === null ? null : <FailureNotice key={failure.atMs} failure={failure} retry={retry} />}
        {results === null ? (
          <>
            {data.stats?.totals.skills === 0 ? null : <Examples />}
            <FirstView {...data} />
          </>
        ) : (
          <ResultsView data={data} results={results} isStale={failure !== null} isBusy={isBusy} />
        )}
      </div>
    </ExplorerProvider>
  )
}
