import type { ComponentChildren } from 'preact'
import { CodeLine } from './code-line.js'

interface Props {
  title: string
  children: ComponentChildren
  /** Whether it is an error, which assistive technology reads out at once. */
  isError?: boolean
}

/** A message in place of content: what happened, and what to do. */
export const Notice = ({ title, children, isError = false }: Props) => (
  <section class={isError ? 'notice error' : 'notice'} role={isError ? 'alert' : undefined}>
    <h2>{title}</h2>
    {children}
  </section>
)

/** In place of skills where the catalog has none: what its operator does next. */
export const EmptyCatalog = () => (
  <Notice title="Welcome! This catalog has no skills yet">
    <p>
      If you run it, import your own: a file with one record in each line, or a folder of <code>SKILL.md</code> files.
      They appear here within seconds.
    </p>
    <CodeLine label="Import a file" code="npm run catalog -- import skills.ndjson --type skills" />
    <CodeLine label="Everything else that the command can do" code="npm run catalog -- --help" />
  </Notice>
)
