import type { ComponentChildren } from 'preact'

interface Props {
  /** The kind of thing, above its name. */
  kind: ComponentChildren
  title: string
  children?: ComponentChildren
}

/** The head of a page about one thing. */
export const PageHead = ({ kind, title, children }: Props) => (
  <header class="page-head">
    <p class="kind">{kind}</p>
    <h1 dir="auto">{title}</h1>
    {children}
  </header>
)
