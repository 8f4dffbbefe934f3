import { nothing } from '../search/search-state.js'
import { StateLink } from './state-link.js'

/** The headline of the first view. */
export const Hero = () => (
  <div class="hero">
    <h1>Find a skill for your agent</h1>
    <p class="lead">
      An open catalog of skills for AI agents. Search by words or by meaning, read the facts, take all of it with you.
    </p>
  </div>
)

const examples = ['pdf tables', 'review a pull request', 'cook dinner with leftovers', 'unit tests']

/** Searches to begin with. */
export const Examples = () => (
  <p class="examples">
    <span class="quiet">Try</span>
    {examples.map((words) => (
      <StateLink key={words} change={() => ({ ...nothing, q: words })}>
        {words}
      </StateLink>
    ))}
  </p>
)
