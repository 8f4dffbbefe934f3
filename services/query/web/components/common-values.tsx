interface Props {
  title: string
  id: string
  values: { text: string; href: string }[]
}

/** Links to what the skills of a page often have. */
export const CommonValues = ({ title, id, values }: Props) =>
  values.length === 0 ? null : (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="chips">
        {values.map(({ text, href }) => (
          <li key={text}>
            <a class="chip" dir="auto" href={href}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
