import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** A page for readers; its path is relative to the project. */
export interface Document {
  path: string
  text: string
}

/** A fenced block of a document. */
export interface Block {
  /** Document and line, `docs/api.md:24`. */
  at: string
  /** First word of the info string: `sh`, `json`, `http`, `text`; empty where there is none. */
  language: string
  /** Second word of the info string, which says why a block of commands is not run: `servers`, `manual`. Null: it is. */
  mark: string | null
  text: string
  /** True when only blank lines stand between this block and the one before it. */
  followsBlock: boolean
}

const read = (path: string): Document => ({ path, text: readFileSync(join(projectRoot(), path), 'utf8') })

/** The README and every page of `docs/`, in the order of their names. */
export const guides: Document[] = [
  read('README.md'),
  ...readdirSync(join(projectRoot(), 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => read(`docs/${name}`)),
]

/** Every document that is held against the project. */
export const documents: Document[] = [
  ...guides,
  ...['CONTRIBUTING.md', 'SECURITY.md', 'infra/mongo-stand-in/README.md', 'infra/sample/README.md'].map(read),
]

/** The fenced blocks of a document, in order. */
export function blocksOf({ path, text }: Document): Block[] {
  const blocks: Block[] = []
  let open: (Block & { lines: string[] }) | null = null
  let followsBlock = false
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== null && line === '```') {
      blocks.push({ ...open, text: open.lines.join('\n') })
      open = null
      followsBlock = true
    } else if (open !== null) {
      open.lines.push(line)
    } else if (line.startsWith('```')) {
      const [language = '', mark = null] = line.slice(3).split(' ')
      open = { at: `${path}:${index + 1}`, language, mark, text: '', followsBlock, lines: [] }
    } else if (line.trim() !== '') {
      followsBlock = false
    }
  }
  if (open !== null) {
    throw new Error(`${open.at}: the block has no end`)
  }
  return blocks.map(({ at, language, mark, text, followsBlock }) => ({ at, language, mark, text, followsBlock }))
}

/** A document without its fenced blocks. */
export const proseOf = ({ text }: Document): string => text.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '')

/** What stands in backquotes outside of the fenced blocks. */
export const inlineCode = (document: Document): string[] =>
  [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** Every command of a document, in blocks (marked or not) and in its prose; one a line, comments left out. */
export const commandsOf = (document: Document): string[] => [
  ...blocksOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replace(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/\s+#\s.*$/, '')),
  ...inlineCode(document),
]
