/**
 * Refuses words that this project does not use, in code, comments, messages and documents, and names the ones to use.
 * Run by `npm run check`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Words of prose, in any case. */
const words = {
  'tells?|told|telling': 'report, return, list, log or say',
  'under way': 'in progress or running',
  'stretch(?:es)?': 'range, batch or span',
  'mend(?:s|ed|ing)?': 'repair or fix',
  beside: 'next to, alongside or together with',
  '(?:take|takes|taken|taking|took)[ -]in': 'ingest',
  'own member': 'catalog metadata',
  overlaid: 'with overrides',
  'asking client': 'current client',
  'patien(?:ce|t)': 'timeout',
  anew: 'again',
  figures: 'statistics',
  'whoever|whatever|somebody|called so': 'the noun',
  '(?:come|comes|came|goes|went) (?:back|away)': 'recover, return, go down or be unavailable',
  '(?:give|gives|gave|given|giving) up': 'cancel, abandon or time out',
  'behind (?:an?|the|its?|this|that|each|every|all) (?!prox|nginx|relay)\\w+': 'after',
}

/** Identifiers. */
const names = {
  '(?:most|longest)[A-Z]\\w*': 'max…',
  '(?:few|many)[A-Z]\\w*': 'a name with the number or the unit',
  '(?:tell|told|mend|stretch|patience)[A-Z]\\w*|\\w+(?:Told|Tells|UnderWay|Stretch|Mended|Anew|Patience|Beside)':
    'a name without that word',
}

const rules = [
  ...Object.entries(words).map(([pattern, instead]) => ({ pattern, flags: 'gi', instead })),
  ...Object.entries(names).map(([pattern, instead]) => ({ pattern, flags: 'g', instead })),
].map(({ pattern, flags, instead }) => ({ word: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, flags), instead }))

const checked = [
  '*.ts',
  '*.tsx',
  '*.js',
  '*.mjs',
  '*.py',
  '*.sh',
  '*.md',
  '*.yml',
  '*.conf',
  '*Dockerfile',
  '.env.example',
  '.ci',
]

/** This list, and the words of generated skills. */
const excluded = ['test/words.mjs', 'services/indexer/seed/words.ts']

const files = execFileSync('git', ['ls-files', ...checked, ...excluded.map((path) => `:!${path}`)], {
  encoding: 'utf8',
})

const found = files
  .trimEnd()
  .split('\n')
  .filter((file) => existsSync(file)) // a deleted file may still be in Git's index
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        rules.flatMap(({ word, instead }) =>
          [...line.matchAll(word)].map(([match]) => `${file}:${at + 1}: instead of "${match}" write ${instead}`),
        ),
      ),
  )

if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n`)
  process.exitCode = 1
}
