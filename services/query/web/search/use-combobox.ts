import type { TargetedInputEvent, TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { Suggestion } from '../api/answers.js'
import { useSuggestions } from './use-suggestions.js'

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
  const [active, setActive] = useState<number | null>(null)
  const suggestions = useSuggestions(text, isWanted)
  const isOpen = suggestions.length > 0
  const close = () => {
    setWanted(false)
    setActive(null)
  }
  const move = (step: 1 | -1) => {
    // One place more than there are suggestions: the box itself.
    const places = suggestions.length + 1
    const next = ((active ?? -1) + 1 + step + places) % places
    setWanted(true)
    setActive(next === 0 ? null : next - 1)
  }
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const chosen = active === null ? undefined : suggestions[active]
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
    setActive(null)
    write(currentTarget.value)
  }
  return { suggestions, active, close, press, input }
}
