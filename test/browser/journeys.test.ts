import { whenBrowser } from '../support/browser.js'
import { sharedTestApp } from '../support/test-app.js'
import { journeys } from './journeys.js'

whenBrowser((open) => {
  const api = sharedTestApp({ sample: true }, async (started) => {
    await started.publishExports()
    await started.publishDataset()
  })
  journeys(open, () => api().url)
})
