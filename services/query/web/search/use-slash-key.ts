import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

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
