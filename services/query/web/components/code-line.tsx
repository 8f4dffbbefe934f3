import { useState } from 'preact/hooks'
import { copyText } from '../text/copy-text.js'
import { Icon } from './icon.js'

/** How long a button says that its text is copied. */
const saidMs = 2_000

interface Props {
  code: string
  /** What the code does. */
  label: string
}

/** Code to copy. */
export function CodeLine({ code, label }: Props) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    setSaid((await copyText(code)) ? 'Copied' : 'Not possible here: select the text')
    setTimeout(() => setSaid(''), saidMs)
  }
  return (
    <figure class="code-line">
      <figcaption>{label}</figcaption>
      <pre>
        <code>{code}</code>
      </pre>
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
        <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </figure>
  )
}
