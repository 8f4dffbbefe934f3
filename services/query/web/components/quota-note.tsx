import { useEffect, useState } from 'preact/hooks'
import { currentQuota, type Quota, watchQuota } from '../api/quota.js'

/** The requests that the reader may still send, once an answer has said so. */
export function QuotaNote() {
  const [quota, setQuota] = useState<Quota | null>(null)
  useEffect(() => {
    const update = () => setQuota(currentQuota())
    update()
    const timer = setInterval(update, 1_000)
    const end = watchQuota(update)
    return () => {
      clearInterval(timer)
      end()
    }
  }, [])
  if (quota === null) {
    return null
  }
  const { remaining, limit } = quota
  return (
    <p class="quota" title="Requests to this service from your address, within a minute">
      <svg class="quota-bar" width="56" height="6" fill="#ddd" aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect class="quota-left" fill="#0e5f4a" width={`${(100 * remaining) / limit}%`} height="100%" />
      </svg>
      {`${remaining} of ${limit} requests left this minute`}
    </p>
  )
}
