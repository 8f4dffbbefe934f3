import { type SearchState, writeState } from '../search/search-state.js'

/** What a form without scripts sends in addition to the words: the filters and the order. */
export const HiddenFields = ({ state }: { state: SearchState }) => (
  <>
    {[...writeState({ ...state, q: '', page: 1 })].map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
)
