import { useEffect } from 'preact/hooks'
import type { Refusal } from '../api/fetch-answer.js'
import { Countdown } from './countdown.js'
import { Notice } from './notice.js'

interface Props {
  failure: Refusal
  retry: () => void
}

const titles: Record<number, string> = {
  0: 'The catalog cannot be reached',
  400: 'This search is not possible',
  429: 'You have used up your requests of this minute',
  503: 'The catalog cannot answer at the moment',
}

/** Why the results cannot be shown, and when they are asked for again. */
export function FailureNotice({ failure, retry }: Props) {
  const { status, message, retryAfterSeconds } = failure
  const isOffline = status === 0 && !navigator.onLine
  useEffect(() => {
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return (
    <Notice title={isOffline ? 'You are offline' : (titles[status] ?? 'Something went wrong')} isError>
      <p>{status === 0 ? 'Check your connection. The results appear as soon as the catalog answers.' : message}</p>
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
