import { useEffect } from 'preact/hooks'
import type { Refusal } from '../api/fetch-answer.js'
import { Countdown } from './countdown.js'
import { Notice } from './notice.js'

interface Props {
  failure: Refusal
  retry: () => void
}

/** Why the results cannot be shown, and when they are asked for again. */
export function FailureNotice({ failure, retry }: Props) {
  const { status, explanation, retryAfterSeconds } = failure
  const isOffline = status === 0 && !navigator.onLine
  useEffect(() => {
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return (
    <Notice title={isOffline ? 'You are offline' : explanation.title} isError>
      <p>{explanation.text}</p>
      <p>
        {retryAfterSeconds === null ? null : (
          <>
            Next attempt in <Countdown seconds={retryAfterSeconds} onEnd={retry} />.{' '}
          </>
        )}
        <button type="button" onClick={retry}>
          Try now
        </button>
      </p>
    </Notice>
  )
}
