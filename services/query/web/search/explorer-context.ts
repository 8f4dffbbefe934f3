import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { nothing, type SearchState } from './search-state.js'

/** A change of what is shown. */
export type StateChange = (state: SearchState) => SearchState

/** What the parts of the explorer share. */
export interface ExplorerControls {
  /** Whether changes are shown on this page; otherwise links and forms lead to the explorer. */
  isLive: boolean
  /** What the reader wants to see, the words in the search box included: newer than the results while they are read. */
  wanted: SearchState
  /** The number of changes of `wanted` other than by typing: after one, the search box shows its words. */
  changes: number
  /** Shows another state, as a new entry of the history. */
  change(change: StateChange): void
  /** Notes the text of the search box, and shows its results after a pause in typing. */
  type(text: string): void
}

const ExplorerContext = createContext<ExplorerControls>({
  isLive: false,
  wanted: nothing,
  changes: 0,
  change: () => undefined,
  type: () => undefined,
})

export const ExplorerProvider = ExplorerContext.Provider
export const useControls = (): ExplorerControls => useContext(ExplorerContext)
