import type { ComponentChildren, TargetedMouseEvent } from 'preact'
import { type StateChange, useControls } from '../search/explorer-context.js'
import { addressOf } from '../search/search-state.js'

interface Props {
  change: StateChange
  children: ComponentChildren
  class?: string
  id?: string
  rel?: string
  'aria-current'?: 'true' | 'page' | undefined
  'aria-label'?: string
}

/** A link to another state of the explorer: without scripts a page, with them a change of this one. */
export function StateLink({ change, children, ...attributes }: Props) {
  const controls = useControls()
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    // With a modifier key, the browser opens the link elsewhere.
    if (controls.isLive && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      controls.change(change)
    }
  }
  return (
    <a href={addressOf(change(controls.wanted))} onClick={follow} {...attributes}>
      {children}
    </a>
  )
}
