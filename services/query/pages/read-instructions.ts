import { LRUCache } from 'lru-cache'
import { filePage, linkedFile } from '../../../shared/fields/repository-pages.js'
import type { Skill } from '../../../shared/records/skill.js'
import { textIn } from '../../../shared/text/skill-text.js'
import type { Backends } from '../observability/backends.js'
import { wholeSkill } from '../skills/whole-skills.js'
import type { Instructions } from '../web/components/skill-instructions.js'
import { type RenderedText, renderMarkdown } from './render-markdown.js'

/** Bytes of a text for each of its tokens, see `estimateTokens`. */
const bytesPerToken = 4

/**
 * The number of tokens that a text takes of a model's context, about: its bytes in UTF-8 divided by four, in two digits. Of
 * 1,500 texts of skills 1,350 were within a quarter of what the tokenizers o200k and cl100k make of them; code and tables have
 * more than estimated.
 */
export function estimateTokens(text: string): number {
  const tokens = Buffer.byteLength(text) / bytesPerToken
  return Number(Math.ceil(tokens).toPrecision(2))
}

/** Rendered texts, so that one that takes long is rendered once; by all that they are made of. */
const rendered = new LRUCache<string, RenderedText>({
  maxSize: 8_000_000,
  sizeCalculation: ({ html }) => html.length + 1,
})

function render(skill: Skill, kept: { text: string; digest: string }): RenderedText {
  const key = JSON.stringify([kept.digest, skill.url, skill.commit, skill.path])
  const known = rendered.get(key)
  if (known !== undefined) {
    return known
  }
  const made = renderMarkdown(textIn('cleaned', kept.text), (path) => linkedFile(skill, path))
  rendered.set(key, made)
  return made
}

/** The text and files of a skill, for its page; null: the catalog keeps none of it. */
export async function readInstructions(
  catalog: Pick<Backends['catalog'], 'readText' | 'readFiles'>,
  skill: Skill,
): Promise<Instructions | null> {
  const [kept, files] = await Promise.all([catalog.readText(skill), catalog.readFiles(skill)])
  return kept === null
    ? null
    : {
        ...render(skill, kept),
        tokens: estimateTokens(kept.text),
        isWhole: files?.total === 1 && wholeSkill(skill, kept) !== null,
        files: (files?.files ?? []).map(({ path, size }) => ({ path, size, href: filePage(skill, path) })),
        filesTotal: files?.total ?? 0,
      }
}
