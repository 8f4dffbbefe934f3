import { useEffect, useRef } from 'preact/hooks'
import { formatBytes, formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { OutsideLink, useCopy } from './basic.js'

/** Files that are listed at once; of more the list is folded. */
const shownFiles = 12

/** The text and the files of a skill. */
export interface Instructions {
  /** The rendered text. Only the service has it: the browser keeps what is on the page. */
  html: string
  isCut: boolean
  /** About how many tokens the whole text has. */
  tokens: number
  /** Whether clients can take the whole skill from the catalog. */
  isWhole: boolean
  files: File[]
  filesTotal: number
}

interface File {
  path: string
  /** Bytes; null: not known. */
  size: number | null
  /** Its page in the repository; null: not known. */
  href: string | null
}

interface Props {
  instructions: Instructions
  /** The address of the text as it is. */
  raw: string
  owner: string
  /** Null: not known. */
  license: string | null
}

/** What a skill says to an agent. */
export function SkillText({ instructions: { html, isCut, tokens }, raw, owner, license }: Props) {
  const [said, copy] = useCopy()
  const shown = useRef<HTMLDivElement>(null)
  // Its buttons are in the rendered text.
  useEffect(() => {
    const follow = ({ target }: Event) => {
      const code = target instanceof HTMLButtonElement ? target.previousElementSibling?.textContent : null
      if (typeof code === 'string') {
        void copy(code)
      }
    }
    const { current } = shown
    current?.addEventListener('click', follow)
    return () => current?.removeEventListener('click', follow)
  }, [copy])
  return (
    <section class="block instructions" aria-labelledby="instructions">
      <div class="block-head">
        <h2 id="instructions">Its instructions</h2>
        <a href={raw}>SKILL.md as it is</a>
      </div>
      <p class="quiet small">
        {`About ${formatCount(tokens, 'tokens')}. Written by ${owner}, and not checked by this catalog: read them before an agent follows them. ` +
          `They are under the licence of the skill (${license ?? 'not known'}), not under that of the data.`}
      </p>
      <div class="skill-text" dir="auto" ref={shown} dangerouslySetInnerHTML={{ __html: html }} />
      {isCut ? (
        <p>
          The text goes on. <a href={raw}>Read all of it</a>
        </p>
      ) : null}
      <span class="copied" role="status">
        {said}
      </span>
    </section>
  )
}

/** The files in the folder of a skill. */
export const SkillFiles = ({ files, filesTotal }: Pick<Instructions, 'files' | 'filesTotal'>) =>
  files.length === 0 ? null : (
    <section class="block" aria-labelledby="files">
      <h2 id="files">{formatCount(filesTotal, 'files')}</h2>
      <FileRows files={files.slice(0, shownFiles)} />
      {files.length > shownFiles ? (
        <details>
          <summary>{`${formatNumber(filesTotal - shownFiles)} more`}</summary>
          <FileRows files={files.slice(shownFiles)} />
          {filesTotal > files.length ? (
            <p class="quiet small">{`The others, ${formatNumber(filesTotal - files.length)}, are in its repository.`}</p>
          ) : null}
        </details>
      ) : null}
    </section>
  )

const FileRows = ({ files }: { files: File[] }) => (
  <ul class="file-list">
    {files.map(({ path, size, href }) => (
      <li key={path}>
        <span class="mono" dir="auto">
          {href === null ? path : <OutsideLink href={href}>{path}</OutsideLink>}
        </span>
        <span class="quiet small">{size === null ? '' : formatBytes(size)}</span>
      </li>
    ))}
  </ul>
)
