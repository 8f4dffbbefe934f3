import { useEffect, useState } from 'preact/hooks'
import type { SuggestAnswer, Suggestion } from '../api/answers.js'
import { fetchAnswer } from '../api/fetch-answer.js'
import { currentQuota } from '../api/quota.js'

/** Pause in typing before a request is sent. */
const pauseMs = 120

const shown = 6

/** Characters of a text that suggestions complete: a longer one is no name. */
const maxTyped = 200

/** Requests that are left for the results: with fewer of them, there are no suggestions. */
const reservedRequests = 15

/** The skills that complete a text. @param isWanted whether they are shown */
export function useSuggestions(text: string, isWanted: boolean): Suggestion[] {
  const [suggestions, setSuggestions] = useState<Suggestion[]>([])
  const typed = text.trim()
  useEffect(() => {
    if (
      !isWanted ||
      typed === '' ||
      typed.length > maxTyped ||
      (currentQuota()?.remaining ?? reservedRequests) < reservedRequests
    ) {
      setSuggestions([])
      return
    }
    const request = new AbortController()
    const pause = setTimeout(() => {
      const address = `/api/v1/skills/suggest?${new URLSearchParams({ q: typed, limit: String(shown) })}`
      fetchAnswer<SuggestAnswer>(address, request.signal).then(
        ({ data }) => setSuggestions(data),
        // Searching works without them.
        () => undefined,
      )
    }, pauseMs)
    return () => {
      clearTimeout(pause)
      request.abort()
    }
  }, [typed, isWanted])
  return suggestions
}
