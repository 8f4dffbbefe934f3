import { whenBrowser } from '../support/browser.js'
import { sharedTestApp } from '../support/test-app.js'
import { journeys } from './journeys.js'

whenBrowser((open) => {
  const api = sharedTestApp({ sample: true }, (started) => started.publishExports())
  journeys(open, () => api().url)
})
