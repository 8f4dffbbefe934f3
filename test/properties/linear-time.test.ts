import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { toCsv } from '../../services/indexer/export-files.js'
import { comparableName, knownNames } from '../../services/indexer/import/field-names.js'
import { keepExtras } from '../../services/indexer/import/keep-extras.js'
import { mapRecord } from '../../services/indexer/import/map-record.js'
import { parseRecord } from '../../services/indexer/import/parse-record.js'
import { readCsv } from '../../services/indexer/import/read-csv.js'
import { readJson } from '../../services/indexer/import/read-json.js'
import { readNdjson } from '../../services/indexer/import/read-ndjson.js'
import { formatOfName, sniffFormat } from '../../services/indexer/import/sniff-format.js'
import { UnreadableSource } from '../../services/indexer/import/source.js'
import {
  isSegment,
  splitFullName,
  toRepositoryAddress,
  toWebAddress,
} from '../../services/indexer/import/web-address.js'
import { readByteRange } from '../../services/query/byte-range.js'
import { clientAddress, clientKey } from '../../services/query/client-key.js'
import { isNotModified } from '../../services/query/conditional.js'
import { chooseEncoding } from '../../services/query/content-encoding.js'
import { CursorText } from '../../services/query/cursor.js'
import { decodeUrlPart, hasControlCharacters } from '../../services/query/decode.js'
import { highlight } from '../../services/query/highlight.js'
import { escapeHtml } from '../../services/query/html.js'
import { parseQuery } from '../../services/query/parse-query.js'
import { publicOrigin } from '../../services/query/public-origin.js'
import { QueryText } from '../../services/query/query-text.js'
import { IdList } from '../../services/query/skills-by-id.js'
import { renderXml } from '../../services/query/xml.js'
import { documentToStored } from '../../shared/adapters/servers/mongo-document.js'
import { deriveOwnMember } from '../../shared/adapters/servers/mongo-own-member.js'
import { defaultDocumentSettings } from '../../shared/document-settings.js'
import { recordTypes } from '../../shared/records/records.js'
import { camelCaseParts, fold, textKey, tokenize, wordsIn } from '../../shared/text/analyze.js'
import { canonicalJson } from '../../shared/text/canonical-json.js'
import { cleanLine, cleanText, limitMarks, shorten } from '../../shared/text/clean-text.js'
import { findAddresses, mayHoldAddress } from '../../shared/text/find-addresses.js'
import { findMatches } from '../../shared/text/find-matches.js'
import { idBeginning } from '../../shared/text/id-beginning.js'
import { parsePlainText, parseSearchText } from '../../shared/text/parse-search-text.js'
import { parseTime } from '../../shared/text/parse-time.js'
import { findHandle, holdsAddress, removeAddresses } from '../../shared/text/personal-addresses.js'
import { printable } from '../../shared/text/printable.js'
import { promptId, publicPromptId } from '../../shared/text/prompt-id.js'
import { toPublicAddress } from '../../shared/text/public-address.js'
import { withoutAddresses } from '../../shared/text/public-record.js'
import { skillWords } from '../../shared/text/skill-words.js'
import { forgivenTypos, indexedDeletions, isCorrectable, spellingVariants } from '../../shared/text/spelling.js'
import { aSkill } from '../support/factories.js'

/** What is repeated to make a long text on which an expression may look back, or a loop copy, again and again. */
const units = [
  ...[
    'a',
    'aA',
    '1',
    '1.',
    '0123456789abcdef',
    'a b ',
    '漢',
    '한',
    'é',
    '\u0301\u0323',
    '\u1100\u1161\u11a8',
    '𝗮',
    '\ud800',
  ],
  ...[
    '@',
    'a@',
    'a@b.',
    'a@b.co ',
    '漢@',
    '"a"@',
    '"',
    '-"',
    '-a ',
    '“a',
    '(',
    '(at) ',
    'a@b (dot) ',
    '%',
    '%40',
    '&#0',
    '&amp;',
    '&#64;',
    '%25',
    '\\@',
  ],
  ...[
    '.',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\u0000',
    '\u200b',
    '\u200b@',
    ',',
    ', ',
    ',|;',
    '/',
    '//',
    ':',
    '#',
    '[',
    '{"a":',
    '\\',
    '\\"',
  ],
  ...['---\n', '- ', '=', '&', '&a=', ';q=', 'W/"a",', 'bytes=', '::', 'http://', 'https://a@', '.git', '<', ']]>', '‮'],
]

const known = defaultDocumentSettings.fields
const recordOf = (names: Iterable<string>, text: string) => Object.fromEntries([...names].map((name) => [name, text]))
const request = (value: string) => ({ headers: { 'x-forwarded-for': value }, socket: {} }) as unknown as IncomingMessage

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of items) {
      // Only the time counts.
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

/** Everything that is given texts of strangers: of records, documents, other catalogs, addresses and headers. */
const readers: Record<string, (text: string) => unknown> = {
  fold,
  tokenize,
  textKey,
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
  withoutAddresses: (text) => withoutAddresses(recordOf(['name', 'content', 'url', 'id'], text)),
  findMatches: (text) => findMatches(text, [{ tokens: ['a'], prefix: true }]),
  skillWords: (text) => skillWords(aSkill({ name: text, description: text, topics: [text] })),
  parseSearchText,
  parsePlainText,
  parseTime,
  idBeginning,
  isCorrectable,
  forgivenTypos,
  indexedDeletions,
  spellingVariants: (text) => spellingVariants(text, 2),
  ...Object.fromEntries(
    recordTypes.flatMap((type) => [
      [`mapRecord of ${type}`, (text: string) => mapRecord(type, recordOf(knownNames[type], text))],
      [
        `documentToStored of ${type}`,
        (text: string) => documentToStored(type, recordOf(Object.keys(known[type]), text), known),
      ],
    ]),
  ),
  'mapRecord of lists': (text) => mapRecord('skills', { id: 'a/b', topics: text.split(''), formerIds: text }),
  deriveOwnMember: (text) =>
    deriveOwnMember('skills', { _id: 'a/b', name: text, topics: text }, defaultDocumentSettings),
  keepExtras: (text) => keepExtras({ [text]: text, extra: text }, new Set()),
  comparableName,
  parseRecord,
  'parseRecord of a text': (text) => parseRecord(JSON.stringify({ [text]: text })),
  readJson: (text) => readAll(readJson(inChunks(text))),
  'readJson of a text': (text) => readAll(readJson(inChunks(JSON.stringify([{ name: text }])))),
  readNdjson: (text) => readAll(readNdjson(inChunks(text))),
  readCsv: (text) => readAll(readCsv(Buffer.from(text.slice(0, 1_000)), inChunks(text), new Set())),
  'readCsv below a header': (text) =>
    readAll(readCsv(Buffer.from('name\n'), inChunks(`name\n${text}`), knownNames.skills)),
  sniffFormat,
  formatOfName,
  toWebAddress,
  toRepositoryAddress,
  isSegment,
  splitFullName,
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

/** The processor time of one call, milliseconds: waiting for a busy machine is not counted. */
async function costOf(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage()
  await read(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const characters = 15_000
const attempts = 6

/**
 * Four times the text may take eight times as long, and a quarter of a second that has other reasons: the collection of
 * garbage, compilation. In quadratic time it takes sixteen times as long. What is slower once may have been unlucky.
 */
async function growsLinearly(read: (text: string) => unknown, unit: string): Promise<boolean> {
  const [short, long] = [1, 4].map((times) => unit.repeat(Math.ceil((times * characters) / unit.length)))
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const cost = await costOf(read, short ?? '')
    if ((await costOf(read, long ?? '')) <= 8 * cost + 250) {
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
      if (!(await growsLinearly(read, unit))) {
        slow.push(unit)
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
