import type { Suggestion } from '../api/answers.js'
import { listId, openSkill, optionId } from '../search/use-combobox.js'
import { formatShort } from '../text/format.js'

interface Props {
  suggestions: Suggestion[]
  active: number | null
}

/** The suggestions of a search box. */
export const SuggestionList = ({ suggestions, active }: Props) => (
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
