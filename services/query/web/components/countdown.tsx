import { useEffect, useState } from 'preact/hooks'
import { formatWait } from '../text/format.js'

interface Props {
  seconds: number
  /** Called when the time is over. */
  onEnd: () => void
}

/** The time until something happens, second by second. Start another one by another `key`. */
export function Countdown({ seconds, onEnd }: Props) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(left > 0 ? () => setLeft(left - 1) : onEnd, left > 0 ? 1_000 : 0)
    return () => clearTimeout(timer)
  }, [left, onEnd])
  // Read out once, not every second.
  return (
    <span class="countdown" role="timer" aria-live="off">
      {formatWait(left)}
    </span>
  )
}
