import type { Explanation } from '../api/answers.js'

const placements: Record<Explanation['placement'], string> = {
  'owner/repo': 'Its owner and repository are exactly your text.',
  name: 'Its name is exactly your text.',
  'all words': 'It has all of your words.',
  'some words': 'It has some of your words.',
  text: 'Only its text has some of your words.',
  meaning: 'It has none of your words; its meaning is close.',
}

type Match = NonNullable<Explanation['words'][number]['match']>

const kinds: Record<Match['kind'], string> = {
  exact: 'as written',
  joined: 'joined with its neighbour',
  form: 'in another form',
  split: 'in two parts',
  prefix: 'as the beginning of a word',
  synonym: 'as a synonym',
  typo: 'with a typo corrected',
}

const fields: Record<Match['field'], string> = {
  name: 'name',
  repo: 'repository',
  topics: 'topics',
  description: 'description',
  owner: 'owner',
  text: 'text',
}

/** Why a hit stands where it does, folded. */
export const WhyHere = ({ explanation: { placement, words, similarity } }: { explanation: Explanation }) => (
  <details class="why-here">
    <summary>Why this result?</summary>
    <p>{placements[placement]}</p>
    <ul>
      {words.map(({ word, match }) => (
        <li key={word}>
          <b dir="auto">{word}</b>
          {match === null ? ' not found' : ` found ${kinds[match.kind]}, in the ${fields[match.field]}`}
        </li>
      ))}
      {similarity === null ? null : (
        <li>
          <b>{similarity.toFixed(2)}</b> of 1 in closeness of meaning
        </li>
      )}
    </ul>
  </details>
)
