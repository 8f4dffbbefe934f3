import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { maxAddressLength } from '../../../../shared/text/parse-url.js'
import { fetchAnswer, Refusal } from '../api/fetch-answer.js'
import { addressOf, type ExplorerData, loadExplorer, nothing, readState, type SearchState } from './search-state.js'

/** Pause in typing before a request is sent: a request for every letter would use up the quota. */
const pauseMs = 250

interface Explorer extends ExplorerControls {
  /** What is shown, of the latest state that was read. */
  data: ExplorerData
  /** Why the wanted state cannot be shown; null: it can. */
  failure: Refusal | null
  isBusy: boolean
  retry(): void
}

/** The id of the results. */
export const resultsId = 'results'

/** Shows the address of a state. One that is too long to be opened again is not shown: the one before it stays. */
function writeAddress(how: 'pushState' | 'replaceState', address: string): void {
  if (address.length <= maxAddressLength) {
    history[how](null, '', address)
  }
}

/** Another page begins at its first skill, for eyes and for the keyboard. */
function showResultsFromTop(): void {
  const results = document.getElementById(resultsId)
  results?.scrollIntoView()
  results?.focus({ preventScroll: true })
}

/** The state of the explorer in the browser: the address, the results, and the requests between the two. */
export function useExplorer(initial: ExplorerData): Explorer {
  const [data, setData] = useState(initial)
  const [wanted, setWanted] = useState(initial.state)
  const [changes, setChanges] = useState(0)
  const [failure, setFailure] = useState<Refusal | null>(null)
  const [isBusy, setBusy] = useState(false)
  // Handlers read the latest values of these, also before the next rendering.
  const now = useRef({ data: initial, wanted: initial.state, isTyping: false })
  const running = useRef<AbortController | null>(null)
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  const want = useCallback((state: SearchState, isTyped: boolean) => {
    now.current.wanted = state
    setWanted(state)
    if (!isTyped) {
      now.current.isTyping = false
      setChanges((count) => count + 1)
    }
  }, [])

  const read = useCallback(async () => {
    clearTimeout(pause.current)
    running.current?.abort()
    const request = new AbortController()
    running.current = request
    setBusy(true)
    try {
      const ask = <Answer>(address: string) => fetchAnswer<Answer>(address, request.signal)
      const loaded = await loadExplorer(now.current.wanted, ask, now.current.data)
      if (!request.signal.aborted) {
        now.current.data = loaded
        setData(loaded)
        setFailure(null)
      }
    } catch (error) {
      if (!request.signal.aborted) {
        setFailure(error instanceof Refusal ? error : new Refusal(0, {}, null))
      }
    } finally {
      if (running.current === request) {
        setBusy(false)
      }
    }
  }, [])

  useEffect(() => {
    const showAddress = () => {
      want(readState(new URLSearchParams(location.search)), false)
      void read()
    }
    window.addEventListener('popstate', showAddress)
    return () => window.removeEventListener('popstate', showAddress)
  }, [want, read])

  const controls = useMemo(
    () => ({
      isLive: true,
      change(change: StateChange) {
        const { page } = now.current.wanted
        want(change(now.current.wanted), false)
        const address = addressOf(now.current.wanted)
        if (address !== location.pathname + location.search) {
          writeAddress('pushState', address)
        }
        const isOtherPage = now.current.wanted.page !== page
        void read().then(() => isOtherPage && showResultsFromTop())
      },
      type(text: string) {
        want({ ...now.current.wanted, q: text.trim(), page: 1 }, true)
        clearTimeout(pause.current)
        pause.current = setTimeout(() => {
          // The back button goes to the state before the typing, not back letter by letter.
          writeAddress(now.current.isTyping ? 'replaceState' : 'pushState', addressOf(now.current.wanted))
          now.current.isTyping = true
          void read()
        }, pauseMs)
      },
      retry: () => void read(),
    }),
    [want, read],
  )
  return { data, wanted, changes, failure, isBusy, ...controls }
}

/** A change of what is shown. */
export type StateChange = (state: SearchState) => SearchState

/** What the parts of the explorer share. */
interface ExplorerControls {
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
