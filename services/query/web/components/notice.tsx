import type { ComponentChildren } from 'preact'

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
