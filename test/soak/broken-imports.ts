import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCatalogOn } from '../support/catalog-command.js'
import type { ApiClient } from './api-client.js'
import type { SoakCatalog } from './soak-catalog.js'
import type { SoakLog } from './soak-log.js'

const prompts = Array.from({ length: 40 }, (_, number) => ({
  id: `prompt-${number}`,
  title: `Prompt ${number}`,
  content: `Answer question ${number}. Written by writer-${number}@example.org.`,
}))

const lines = prompts.map((prompt) => JSON.stringify(prompt))

/** Sources with the first prompts, each invalid after them in another way. */
const brokenSources: Record<string, string> = {
  'cut.ndjson': [...lines.slice(0, 10), lines[10]?.slice(0, 20), ...lines.slice(11)].join('\n'),
  'cut.json': `[${lines.slice(0, 10).join(',\n')},\n${lines[10]?.slice(0, 20)}`,
  'quote.csv': `id,title,content\nprompt-0,Prompt 0,one\nprompt-1,"Prompt 1,two\nprompt-2,Prompt 2,three\n`,
}

/** Imports all prompts from a valid source. */
export async function importPrompts({ env, folder }: SoakCatalog): Promise<void> {
  const path = join(folder, 'prompts.ndjson')
  writeFileSync(path, lines.join('\n'))
  const { status, stderr } = await runCatalogOn(env, ['import', path, '--type', 'prompts', '--json'])
  if (status !== 0) {
    throw new Error(`the prompts could not be imported: ${stderr}`)
  }
}

/** Imports a broken source with --replace, which must not remove anything. */
export async function importBroken({ env, folder }: SoakCatalog, name: string, log: SoakLog): Promise<void> {
  const path = join(folder, name)
  writeFileSync(path, brokenSources[name] ?? '')
  const run = await runCatalogOn(env, ['import', path, '--type', 'prompts', '--replace', '--no-update', '--json'])
  // 2: the catalog could not be reached.
  if (run.status !== 2 && (run.status !== 1 || run.json['removed'] !== 0)) {
    log.violation('import', `${name} with --replace ended with ${run.status}: ${run.stdout}${run.stderr}`)
  }
}

export const brokenSourceNames = Object.keys(brokenSources)

/** The violation in the published prompts; null: none. */
export async function promptsViolation(client: ApiClient): Promise<string | null> {
  const answer = await client.ask('/api/v1/export?type=prompts&format=json')
  if (answer === null) {
    return 'the export of the prompts was not answered'
  }
  const { data } = answer.json() as { data: { id: string; content: string }[] }
  const missing = prompts.filter(({ id }) => !data.some((prompt) => prompt.id === id)).map(({ id }) => id)
  if (missing.length > 0) {
    return `the export lacks ${missing.join(', ')}`
  }
  const addressed = data.find(({ content }) => content.includes('@'))
  return addressed === undefined ? null : `an e-mail address is published: ${JSON.stringify(addressed)}`
}
