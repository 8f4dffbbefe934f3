import { afterTest } from '../../support/after-test.js'
import { isPost, MeiliRelay } from '../../support/meili-relay.js'

/** A relay before a Meilisearch, closed when the test ends. */
export async function openRelay(meilisearch: string): Promise<MeiliRelay> {
  const relay = await MeiliRelay.before(meilisearch)
  afterTest(() => relay.close())
  return relay
}

/** Resolves with the next request of documents at the relay, which is held until `pass`. */
export function holdNextPost(relay: MeiliRelay): { arrived: Promise<void>; pass: () => void } {
  let [arrive, pass]: (() => void)[] = [() => undefined, () => undefined]
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  relay.script = async (request, forward) => {
    if (isPost(request)) {
      arrive?.()
      await passed
    }
    return forward()
  }
  return { arrived, pass: () => pass?.() }
}
