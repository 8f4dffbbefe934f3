import type { ComponentChildren } from 'preact'

/** Facts as terms and descriptions; those that are null are left out. */
export const FactList = ({ facts }: { facts: [term: string, fact: ComponentChildren | null][] }) => (
  <dl class="fact-list">
    {facts
      .filter(([, fact]) => fact !== null)
      .map(([term, fact]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd dir="auto">{fact}</dd>
        </div>
      ))}
  </dl>
)
