import { hydrate } from 'preact'
import { App, type AppProps, shownAttribute } from './app.js'

const root = document.querySelector(`[${shownAttribute}]`)
if (root !== null) {
  const props = JSON.parse(root.getAttribute(shownAttribute) ?? '') as AppProps
  hydrate(<App {...props} />, root)
}
