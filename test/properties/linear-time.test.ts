import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { toCsv } from '../../services/indexer/exports/export-files.js'
import { originIn } from '../../services/indexer/import/checkout.js'
import { keepExtras, mapRecord, parseRecord } from '../../services/indexer/import/map-record.js'
import { readCsv } from '../../services/indexer/import/read-csv.js'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { readLinkList } from '../../services/indexer/import/read-link-list.js'
import { readSkillMd } from '../../services/indexer/import/read-skill-md.js'
import { formatOfName, sniffFormat } from '../../services/indexer/import/sniff-format.js'
import { UnreadableSource } from '../../services/indexer/import/source.js'
import { sourceOf } from '../../services/query/endpoints/clients/find-skills.js'
import { renderXml } from '../../services/query/pages/render-page.js'
import { publicOrigin } from '../../services/query/request/admit.js'
import { CursorText } from '../../services/query/request/cursor.js'
import { readByteRange } from '../../services/query/request/download.js'
import { IdList, QueryText } from '../../services/query/request/parameters.js'
import { decodeUrlPart, hasControlCharacters, parseQuery } from '../../services/query/request/parse-query.js'
import { clientAddress, clientKey } from '../../services/query/request/rate-limits.js'
import { chooseEncoding, isNotModified } from '../../services/query/request/sendable-text.js'
import { filterHints, highlight } from '../../services/query/skills/explain-hits.js'
import { readEntry } from '../../services/query/skills/lock-entries.js'
import { documentToStored } from '../../shared/adapters/servers/mongo/catalog/document.js'
import { deriveRow } from '../../shared/adapters/servers/mongo/ingest/derive-row.js'
import {
  namedSkills,
  namesInAddress,
  splitFullName,
  toRepositoryAddress,
  toSkillName,
  toWebAddress,
} from '../../shared/fields/web-address.js'
import { findAddresses } from '../../shared/privacy/find-addresses.js'
import {
  findHandle,
  holdsAddress,
  removeAddresses,
  removeCredentials,
  toPublicAddress,
} from '../../shared/privacy/personal-addresses.js'
import { cleanRecord } from '../../shared/privacy/public-record.js'
import { readQuery, type Vocabulary } from '../../shared/ranking/concepts.js'
import { findSpans, idBeginning } from '../../shared/ranking/find-matches.js'
import { parsePlainText, parseSearchText, stopWordsIn } from '../../shared/ranking/interpret-query.js'
import {
  indexedDeletions,
  isCorrectable,
  parseSynonyms,
  readSynonyms,
  spellingVariants,
  toleratedTypos,
} from '../../shared/ranking/other-words.js'
import { Weigher } from '../../shared/ranking/weigh.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { comparableName, importNames, knownNames } from '../../shared/records/field-names.js'
import { isSegment } from '../../shared/records/fields.js'
import { type RecordType, recordTypes } from '../../shared/records/records.js'
import { camelCaseParts, foldLetters, stemOf, tokenize, wordsIn } from '../../shared/text/analyze.js'
import {
  cleanLine,
  cleanText,
  escapeHtml,
  limitMarks,
  mayHoldAddress,
  printable,
  shorten,
} from '../../shared/text/clean-text.js'
import { canonicalJson } from '../../shared/text/format-numbers.js'
import { parseTime } from '../../shared/text/parse-time.js'
import { promptId, publicPromptId } from '../../shared/text/prompt-id.js'
import { skillWords, wordLines } from '../../shared/text/skill-words.js'
import { aSkill } from '../support/factories.js'

/** Texts that are repeated to make regular expressions backtrack, or loops copy, again and again. */
const units = [
  ...['a', 'aA', '1', '1.', '0123456789abcdef', 'a b ', '漢', '한', 'é'],
  ...['\u0301\u0323', '\u1100\u1161\u11a8', '𝗮', '\ud800'],
  ...['@', 'a@', 'a@b.', 'a@b.co ', '漢@', '"a"@', '"', '-"', '-a ', '“a', '(', '(at) ', 'a@b (dot) '],
  ...['%', '%40', '&#0', '&amp;', '&#64;', '%25', '\\@', '.', ' ', '\t', '\n', '\r\n', '\u0000'],
  ...['\u200b', '\u200b@', ',', ', ', ',|;', '/', '//', ':', '#', '[', '{"a":', '\\', '\\"'],
  ...['---\n', '- ', '=', '&', '&a=', ';q=', 'W/"a",', 'bytes=', '::', 'http://', 'https://a@', '.git', '<', ']]>', '‮'],
  ...['://a:', '&#', '?token=', ';a', '\u{e0041}', '👩\u200d', 'न\u200d', 'https:'],
]

const nothingIndexed: Vocabulary = {
  rarity: () => 1,
  count: () => new Map(),
  withStems: () => new Map(),
  hasBeginning: () => false,
  completions: () => null,
  similar: () => [],
  hasText: () => false,
}
const weigher = new Weigher(readQuery(parseSearchText('a the "b a" aa'), nothingIndexed, readSynonyms()))

const known = defaultDocumentSettings.fields
const recordOf = (names: Iterable<string>, text: string) => Object.fromEntries([...names].map((name) => [name, text]))
/** The first name of each field: the others, of which some thousands are known, have a test of their own. */
const firstNames = (type: RecordType) => Object.values<readonly string[]>(importNames[type]).map(([name = '']) => name)
const request = (value: string) => ({ headers: { 'x-forwarded-for': value }, socket: {} }) as unknown as IncomingMessage

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of items) {
      // Only the time matters.
    }
  } catch (error) {
    if (!(error instanceof UnreadableSource)) {
      throw error
    }
  }
}

async function* inChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += 4_096) {
    yield bytes.subarray(start, start + 4_096)
  }
}

const skillMd = (text: string) => ({ head: Buffer.from(text), digest: 'sha256:' })

/** Where each character may be a record, or a field, of its own: enough of a text. */
const aQuarter = (text: string) => text.slice(0, text.length / 4)

/** Every function that gets foreign text: of records, documents, other catalogs, URLs and headers. */
const readers: Record<string, (text: string) => unknown> = {
  foldLetters,
  tokenize,
  wordsIn,
  camelCaseParts,
  canonicalJson,
  limitMarks,
  cleanText,
  cleanLine,
  shorten: (text) => shorten(text, 10_000),
  mayHoldAddress,
  findAddresses: (text) => [...findAddresses(text)],
  holdsAddress,
  removeAddresses,
  'removeAddresses, cut': (text) => removeAddresses(text, 10_000),
  findHandle: (text) => findHandle([text, [text]]),
  promptId,
  publicPromptId,
  toPublicAddress,
  removeCredentials,
  cleanRecord: (text) => cleanRecord(recordOf(['name', 'content', 'url', 'id'], text)),
  findSpans: (text) => findSpans(text, [{ tokens: ['a'], prefix: true }]),
  skillWords: (text) => skillWords(aSkill({ name: text, description: text, topics: [text] })),
  parseSearchText,
  parsePlainText,
  stemOf,
  stopWordsIn: (text) => stopWordsIn(wordsIn(text)),
  readQuery: (text) => readQuery(parseSearchText(text), nothingIndexed, readSynonyms()),
  Weigher: (text) => weigher.weigh(wordLines(skillWords(aSkill({ name: text, description: text, topics: [text] })))),
  parseSynonyms: (text) => parseSynonyms(`a=b ${text.replace(/[=\n]/g, '$&a=b ')}`),
  parseTime,
  idBeginning,
  isCorrectable,
  toleratedTypos,
  indexedDeletions,
  spellingVariants: (text) => spellingVariants(text, 2),
  ...Object.fromEntries(
    recordTypes.flatMap((type) => [
      [`mapRecord of ${type}`, (text: string) => mapRecord(type, recordOf(firstNames(type), text))],
      [
        `documentToStored of ${type}`,
        (text: string) => documentToStored(type, recordOf(Object.keys(known[type]), text), { fields: known }),
      ],
    ]),
  ),
  'mapRecord of lists': (text) => mapRecord('skills', { id: 'a/b', topics: text.split(''), formerIds: text }),
  deriveRow: (text) => deriveRow('skills', { _id: 'a/b', name: text, topics: text }, defaultDocumentSettings),
  keepExtras: (text) => keepExtras({ [text]: text, extra: text }, new Set()),
  comparableName,
  parseRecord,
  'parseRecord of a text': (text) => parseRecord(JSON.stringify({ [text]: text })),
  readJson: (text) => readAll(readJson(inChunks(text), 'skills')),
  'readJson of a text': (text) => readAll(readJson(inChunks(JSON.stringify([{ name: text }])), 'skills')),
  readNdjson: (text) => readAll(readNdjson(inChunks(text), 'skills')),
  readCsv: (text) => readAll(readCsv(Buffer.from(text.slice(0, 1_000)), inChunks(aQuarter(text)), new Set())),
  readLinkList: (text) => readAll(readLinkList(inChunks(`- [a](https://github.com/a/b) ${aQuarter(text)}`))),
  'readLinkList of links': (text) =>
    readAll(readLinkList(inChunks(`- ${aQuarter(text)}\n|a|\n|-|\n|${aQuarter(text)}|`))),
  'readCsv below a header': (text) =>
    readAll(readCsv(Buffer.from('name\n'), inChunks(`name\n${aQuarter(text)}`), knownNames.skills)),
  sniffFormat: (text) => sniffFormat(text, 'skills'),
  formatOfName,
  toWebAddress,
  toRepositoryAddress,
  isSegment,
  splitFullName,
  namedSkills,
  namesInAddress: (text) => [namesInAddress(text), namesInAddress(`npx skills add ${text}`)],
  sourceOf: (text) => sourceOf({ owner: 'a', repo: 'b', url: `https://gitlab.com/a/b${text}` }),
  toSkillName: (text) => [toSkillName(text), toSkillName(`漢${text}`)],
  readEntry: (text) =>
    [{ id: text }, { source: text, skillPath: text }, { source: 'a/b' }].map((entry) =>
      readEntry(`漢${text}`, entry, []),
    ),
  originIn: (text) => [originIn(text), originIn(`[remote "origin"]\n\turl = ${text}`)],
  readSkillMd: (text) => readSkillMd('a/b/SKILL.md', '', skillMd(`# ${text}`)),
  'readSkillMd of a path': (text) => readSkillMd('a/b/SKILL.md', '', skillMd(`${text}\nb`)),
  filterHints: (text) => filterHints(`owner:${text}b`),
  'readSkillMd with front matter': (text) =>
    readSkillMd('a/b/SKILL.md', '', skillMd(`---\nname: ${text}\ndescription: [${text}, {b: c}]\n---\n`)),
  printable,
  toCsv: (text) => [...toCsv(['name', 'topics'], [{ name: text, topics: [text, text] }])],
  escapeHtml,
  renderXml: (text) => renderXml({ a: { '#text': text, '@b': text } }),
  highlight: (text) => highlight(text, [{ start: 1, length: 5 }]),
  parseQuery: (text) => parseQuery(text, z.object({ q: QueryText, ids: IdList.optional() })),
  'parseQuery of values': (text) => parseQuery(`q=${text}&ids=${text}`, z.object({ q: QueryText, ids: IdList })),
  CursorText: (text) => CursorText.safeParse(text),
  decodeUrlPart,
  hasControlCharacters,
  clientKey,
  clientAddress: (text) => clientKey(clientAddress(request(text), 1)),
  isNotModified: (text) =>
    isNotModified({ 'if-none-match': text, 'if-modified-since': text }, { etag: '"x"', lastModified: new Date() }),
  chooseEncoding,
  readByteRange: (text) => [readByteRange(text, 1_000), readByteRange(`bytes=${text}`, 1_000)],
  publicOrigin: (text) => publicOrigin({ publicUrl: null, trustedProxies: 1 }, () => text),
}

/** The processor time of one call in milliseconds, which excludes waiting for a busy machine. */
async function costOf(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage()
  await read(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const characters = 8_000
const attempts = 6

/** What a call may take for other reasons than its text: the collection of garbage, compilation. */
const otherwiseMs = 70

/**
 * Four times the text may take eight times as long, plus a constant for other work. In quadratic time it takes sixteen times
 * as long. A slow measurement is repeated.
 */
async function growsLinearly(read: (text: string) => unknown, unit: string, end = ''): Promise<boolean> {
  const [short, long] = [1, 4].map((times) => unit.repeat(Math.ceil((times * characters) / unit.length)) + end)
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const costOfLong = await costOf(read, long ?? '')
    if (costOfLong <= otherwiseMs || costOfLong <= 8 * (await costOf(read, short ?? '')) + otherwiseMs) {
      return true
    }
  }
  return false
}

test.each(Object.entries(readers))(
  '%s takes linear time for any text',
  async (_, read) => {
    const slow: string[] = []
    for (const unit of units) {
      // What looks for the end of a text has to fail as well.
      for (const end of ['', 'x']) {
        if (!(await growsLinearly(read, unit, end))) {
          slow.push(`${unit}…${end}`)
        }
      }
    }

    expect(slow).toEqual([])
  },
  120_000,
)

// All names of a field lead to the same reader, which gets every text above.
test.each(recordTypes)(
  'mapRecord of %s takes linear time for a text by any name',
  async (type) => {
    const slow: string[] = []
    for (const [place, name] of [...knownNames[type]].entries()) {
      const unit = units[place % units.length] ?? ''
      if (!(await growsLinearly((text) => mapRecord(type, { id: 'a/b', [name]: text }), unit, 'x'))) {
        slow.push(`${name}: ${unit}…`)
      }
    }

    expect(slow).toEqual([])
  },
  120_000,
)

test('readCsv takes linear time for any number of columns', async () => {
  const readHeader = (text: string) => {
    const columns = Array.from({ length: text.length / 16 }, (_, column) => column)
    return readAll(readCsv(Buffer.from('name'), inChunks(`name,${columns.join(',')}\n`), knownNames.skills))
  }

  expect(await growsLinearly(readHeader, 'any')).toBe(true)
})
