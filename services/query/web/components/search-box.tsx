import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Suggestion } from '../api/answers.js'
import { listId, openSkill, optionId, useCombobox, useSlashKey } from '../search/use-combobox.js'
import { useControls } from '../search/use-explorer.js'
import { formatShort } from '../text/format.js'
import { HiddenFields, Icon } from './basic.js'

/** The search box with its suggestions. In the explorer it searches while the reader types; elsewhere it leads there. */
export function SearchBox({ size }: { size: 'large' | 'small' }) {
  const { isLive, wanted, changes, type, change } = useControls()
  const [text, setText] = useState(wanted.q)
  const rendered = useRef(wanted.q)
  const box = useRef<HTMLInputElement>(null)
  useSlashKey(box)
  const { suggestions, active, close, press, input } = useCombobox(text, (next) => {
    setText(next)
    type(next)
  })

  // The words change with the history and with links, too.
  const shown = useRef(changes)
  if (shown.current !== changes) {
    shown.current = changes
    setText(wanted.q)
  }

  // The reader may have typed before the script was loaded.
  useEffect(() => {
    const typed = box.current?.value ?? ''
    if (typed !== rendered.current) {
      setText(typed)
      type(typed)
    }
  }, [type])

  const search = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    if (isLive) {
      event.preventDefault()
      close()
      change((state) => ({ ...state, q: text.trim(), page: 1 }))
    }
  }

  return (
    <search class={`search-box search-${size}`}>
      <form action="/" method="get" onSubmit={search}>
        <Icon name="search" />
        <input
          ref={box}
          id="q"
          name="q"
          type="text"
          dir="auto"
          value={text}
          maxLength={2_000}
          placeholder="Search skills"
          aria-label="Search skills"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="search"
          role="combobox"
          aria-expanded={suggestions.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active === null ? undefined : optionId(active)}
          onInput={input}
          onKeyDown={press}
          onBlur={close}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
        <HiddenFields state={wanted} />
        {size === 'large' ? <button type="submit">Search</button> : null}
        <SuggestionList suggestions={suggestions} active={active} />
      </form>
    </search>
  )
}

interface Props {
  suggestions: Suggestion[]
  active: number | null
}

const SuggestionList = ({ suggestions, active }: Props) => (
  <div class="suggestions" id={listId} role="listbox" aria-label="Suggestions" hidden={suggestions.length === 0}>
    {suggestions.map(({ id, name, stars }, position) => (
      // The keys of the list are those of the box, which keeps the focus.
      // Pressing, unlike clicking, happens before the box loses the focus and the list is closed.
      <div
        key={id}
        id={optionId(position)}
        role="option"
        aria-selected={position === active}
        tabIndex={-1}
        onMouseDown={(event) => {
          event.preventDefault()
          openSkill(id)
        }}
      >
        <span class="suggestion-name" dir="auto">
          {name}
        </span>
        <span class="mono quiet">{id}</span>
        {stars === null ? null : <span class="quiet suggestion-stars">★ {formatShort(stars)}</span>}
      </div>
    ))}
  </div>
)
