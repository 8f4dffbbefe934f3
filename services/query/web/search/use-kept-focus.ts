import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

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
