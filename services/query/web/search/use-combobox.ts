import type { RefObject, TargetedInputEvent, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SuggestAnswer, Suggestion } from '../api/answers.js'
import { currentQuota, fetchAnswer } from '../api/fetch-answer.js'

/** The element ids of the list of suggestions and of its options. */
export const listId = 'suggestions'
export const optionId = (position: number): string => `${listId}-${position}`

interface Combobox {
  suggestions: Suggestion[]
  /** The position of the suggestion that Enter opens; null: none. */
  active: number | null
  close(): void
  /** Handlers of the box. */
  press(event: TargetedKeyboardEvent<HTMLInputElement>): void
  input(event: TargetedInputEvent<HTMLInputElement>): void
}

export const openSkill = (id: string): void => location.assign(`/skills/${id}`)

/**
 * The keyboard of an editable combobox (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/): arrows move through the
 * suggestions, Enter opens one, Escape closes them, and with none shown empties the box.
 */
export function useCombobox(text: string, write: (text: string) => void): Combobox {
  const [isWanted, setWanted] = useState(false)
  // The skill, not its position: other suggestions may come that have it elsewhere, or not at all.
  const [chosenId, setChosenId] = useState<string | null>(null)
  const suggestions = useSuggestions(text, isWanted)
  const isOpen = suggestions.length > 0
  const place = suggestions.findIndex(({ id }) => id === chosenId)
  const close = () => {
    setWanted(false)
    setChosenId(null)
  }
  const move = (step: 1 | -1) => {
    // One place more than there are suggestions: the box itself.
    const places = suggestions.length + 1
    const next = (place + 1 + step + places) % places
    setWanted(true)
    setChosenId(suggestions[next - 1]?.id ?? null)
  }
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const chosen = suggestions[place]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault()
      openSkill(chosen.id)
    } else if (event.key === 'Escape') {
      event.preventDefault()
      if (isOpen) {
        close()
      } else {
        write('')
      }
    }
  }
  const input = ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => {
    setWanted(true)
    setChosenId(null)
    write(currentTarget.value)
  }
  return { suggestions, active: place === -1 ? null : place, close, press, input }
}

const pauseMs = 120

const shown = 6

/** Characters of a text that suggestions complete: a longer one is no name. */
const maxTyped = 200

/** Requests that are left for the results: with fewer of them, there are no suggestions. */
const reservedRequests = 15

/** The skills that complete a text. @param isWanted whether they are shown */
function useSuggestions(text: string, isWanted: boolean): Suggestion[] {
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
        // Searching works without them; those of an earlier text are none of this one.
        () => request.signal.aborted || setSuggestions([]),
      )
    }, pauseMs)
    return () => {
      clearTimeout(pause)
      request.abort()
    }
  }, [typed, isWanted])
  return suggestions
}

/**
 * Keeps the focus of the keyboard on a link that new results replace: it is the element with the same id.
 *
 * @param shown changes with what is shown
 */
export function useKeptFocus(shown: unknown): void {
  const focused = useRef('')
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      focused.current = target instanceof Element ? target.id : ''
    }
    // A reader who presses next to all links takes the focus away.
    const forget = () => {
      focused.current = ''
    }
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', forget)
    return () => {
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', forget)
    }
  }, [])
  const before = useRef(shown)
  useLayoutEffect(() => {
    if (before.current !== shown && document.activeElement === document.body && focused.current !== '') {
      document.getElementById(focused.current)?.focus({ preventScroll: true })
    }
    before.current = shown
  })
}

/** The key `/` moves the focus to the input, unless the reader is typing elsewhere; from the first moment of the page. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault()
        input.current?.focus()
        input.current?.select()
      }
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [input])
}
