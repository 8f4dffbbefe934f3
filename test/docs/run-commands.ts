import { execFile } from 'node:child_process'
import { projectRoot } from '../../shared/runtime/project-root.js'
import { testedEnvironment } from '../support/catalog-command.js'
import { compareAnswer } from './compare-answer.js'
import { type Block, blocksOf, type Document } from './documents.js'

/** Where the commands of documents are run. */
export interface CommandPlace {
  /** The folder in which they begin. */
  folder: string
  env: Record<string, string>
  /** Addresses in the documents, with those of this run. */
  addresses: Record<string, string>
}

/** Ends a block at the first command that fails; runs `npm run catalog` as it is built, without building it again. */
const prelude = `
set -euo pipefail
npm() {
  [ "\${*:1:3}" = 'run catalog --' ] || { echo "npm $*: is no command of the catalog; mark the block" >&2; return 1; }
  node --enable-source-maps '${projectRoot()}/dist/services/standalone/cli/main.js' "\${@:4}"
}
`

/**
 * Runs the unmarked blocks of a document in order, and compares what each writes with the answer that follows it.
 *
 * @returns what is wrong, by place
 */
export async function runDocument(document: Document, place: CommandPlace): Promise<Record<string, string[]>> {
  const blocks = blocksOf(document)
  const wrong: Record<string, string[]> = {}
  for (const [index, block] of blocks.entries()) {
    if (block.language === 'sh' && block.mark === null) {
      const next = blocks[index + 1]
      const answer = next?.followsBlock && next.language !== 'sh' ? next : null
      const differences = await runBlock(block, answer, place)
      if (differences.length > 0) {
        wrong[block.at] = differences
      }
    }
  }
  return wrong
}

function runBlock(block: Block, answer: Block | null, { folder, env, addresses }: CommandPlace): Promise<string[]> {
  const commands = Object.entries(addresses).reduce((text, [from, to]) => text.replaceAll(from, to), block.text)
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['-c', `${prelude}${commands}`],
      { cwd: folder, env: { ...testedEnvironment(), NODE_OPTIONS: '', ...env }, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => {
        if (error !== null) {
          resolve([`${error.message}\n${stderr}`])
        } else {
          resolve(answer === null ? [] : compareAnswer(answer.language, answer.text, stdout))
        }
      },
    )
  })
}
