const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

const toPlain = (html: string): string => html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')

interface Props {
  /** The API's highlighted HTML: escaped text, and `<em>` around the matches. Absent: nothing matches. */
  html: string | null | undefined
  plain: string
}

/** A text with its matches marked. Nothing is used as HTML: only `<em>` is read, all else stays text. */
export const Highlighted = ({ html, plain }: Props) => (
  <>
    {html
      ? html
          .split(/<em>(.*?)<\/em>/s)
          // Every second part is a match. A part has no identity but its place.
          .map((part, place) => (place % 2 === 1 ? <em key={String(place)}>{toPlain(part)}</em> : toPlain(part)))
      : plain}
  </>
)
