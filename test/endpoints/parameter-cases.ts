import { encodeCursor } from '../../services/query/request/cursor.js'
import { type FilterParameters, facetNames } from '../../shared/ports/filter-table.js'
import { SkillSchema } from '../../shared/records/schemas.js'
import { clientCases } from './client-parameter-cases.js'
import {
  commaList,
  each,
  line,
  oneOf,
  type ParameterCases,
  type QueryCases,
  type Refusal,
  wholeNumber,
  yesNo,
} from './parameter-kinds.js'

/** The message for an invalid owner or repository name, without its full stop. */
export const segmentMessage = 'must be 1 to 100 letters, digits, dots, underscores or hyphens'

const momentMessage =
  'must be a date (2026-01-31) or a time with its offset (2026-01-31T12:00:00Z, 2026-01-31T12:00:00+02:00).'

const owners: ParameterCases = {
  valid: ['acme', 'ACME', 'a'.repeat(100)],
  wrong: [['a%2Fb', `${segmentMessage}.`], ...each(['a%20b', '%00', 'a;b', '%E6%97%A5'], `${segmentMessage}.`)],
  oversized: [['a'.repeat(101), `${segmentMessage}.`]],
}

const filters: { [name in keyof FilterParameters]: ParameterCases } = {
  owner: owners,
  topic: { ...line(100, 'pdf', '%20pdf%20', '%E6%97%A5'), repeatable: true },
  license: line(200, 'MIT', 'mit'),
  language: line(100, 'C%2B%2B', 'go'),
  archived: yesNo,
  minStars: wholeNumber(0, 1_000_000_000),
  updatedSince: {
    valid: [
      '2026-01-31',
      '2026-01-31T12:00:00Z',
      '2026-01-31T12:00:00.123456Z',
      '2026-01-31T12:00:00%2B02:00',
      '2026-01-31T12:00:00+02:00',
      '2026-01-31T12:00:00-02:00',
    ],
    wrong: [
      ['yesterday', momentMessage],
      ...each(
        ['2026', '2026-1-31', '2026-02-30', '2026-01-31T12:00:00', '2026-01-31T25:00:00Z', '1769817600', '%00'],
        momentMessage,
      ),
    ],
    oversized: [
      ['9999-12-31T23:59:59-23:00', momentMessage],
      ['12026-01-31', momentMessage],
      ['2026-01-31'.repeat(100), momentMessage],
    ],
  },
}

const fields = commaList(Object.keys(SkillSchema.shape))

const pageMessage = 'must be a whole number from 1.'

/** @param reach the last page, of 20 rows */
const page = (reach: number, beyond: string): ParameterCases => ({
  valid: ['1', String(reach)],
  wrong: [['0', pageMessage], ...each(['-1', '1.0', '01', '1e1', 'last', '%00'], pageMessage)],
  oversized: [
    [String(reach + 1), beyond],
    ['9'.repeat(400), beyond],
  ],
})

const beyondRows =
  'reaches beyond the first 10000 rows: continue with cursor, or download the files that /api/v1/exports lists.'
const beyondHits = 'reaches beyond the first 1000 hits: narrow the search, list with /api/v1/skills, or export.'

const cursorMessage = 'is damaged or not a cursor of this service: use nextCursor unchanged, or omit it to start again.'
const aCursor = encodeCursor({ sort: 'updated', order: 'desc', filters: {} }, { value: null, id: 'acme/a' })

const notAnId = (id: string): string =>
  `has ${JSON.stringify(id.replace('\u202e', ''))}, which is not an id such as acme/pdf-tools or acme/skills@pdf.`
const someIds = (count: number): string => Array.from({ length: count }, (_, n) => `a/${n}`).join(',')
const withIdsMessage = 'cannot be given together with ids: omit one of them.'

const list: QueryCases = {
  least: {},
  parameters: {
    ...filters,
    limit: wholeNumber(1, 100),
    page: page(500, beyondRows),
    cursor: {
      valid: [aCursor],
      wrong: [['x', cursorMessage], ...each(['%00', '%F0%9F%98%80', 'W10', aCursor.slice(1)], cursorMessage)],
      oversized: [['A'.repeat(5_000), cursorMessage]],
    },
    sort: oneOf(['updated', 'stars', 'created', 'name', 'trending']),
    order: oneOf(['asc', 'desc']),
    distinct: oneOf(['repository']),
    ids: {
      valid: [
        'acme/pdf',
        'acme/pdf,ACME/PDF',
        'acme%2Fpdf%2Cacme%2Fother',
        `${'a'.repeat(100)}/${'b'.repeat(100)}`,
        '-/.',
        'acme/pdf@tables,acme/pdf/tables,ACME/PDF%40A',
        someIds(100),
      ],
      wrong: [
        ['acme', notAnId('acme')],
        ...[
          'acme/',
          '/pdf',
          'a/b/c/d',
          'a/b@',
          'a/b@c@d',
          'a/b@c_d',
          'a b/c',
          'a/ñ',
          'a/b ',
          'a/\0b',
          '\u202e',
          '',
        ].map((id): Refusal => [`a/b,${encodeURIComponent(id)},c/d`, notAnId(id)]),
        ['a/b,', notAnId('')],
      ],
      oversized: [
        [someIds(101), 'names 101 skills; ask for at most 100 at once.'],
        [`${'a'.repeat(101)}/b`, notAnId('a'.repeat(100))],
      ],
    },
    fields,
  },
  together: ['topic=pdf&topic=PDF', 'page=100&limit=100', 'page=10000&limit=1', 'ids=acme/pdf&fields=name'],
  apart: [
    ['page=101&limit=100', 'page', beyondRows],
    ['page=10001&limit=1', 'page', beyondRows],
    [`page=1&cursor=${aCursor}`, 'page', 'cannot be given together with cursor: choose one of them.'],
    ['topic=pdf&topic=', 'topic', 'is empty: give it a value or omit it.'],
    ['topic=x&'.repeat(21), 'topic', 'is given more than 20 times; no skill has more topics.'],
    ...[
      ...['limit=1', 'page=1', `cursor=${aCursor}`, 'sort=name', 'order=asc', 'distinct=repository'],
      ...Object.entries(filters).map(([name, { valid }]) => `${name}=${valid[0]}`),
    ].map((other): [string, string, string] => [`ids=acme/pdf&${other}`, other.replace(/=.*/, ''), withIdsMessage]),
  ],
}

const ofQueries: Pick<ParameterCases, 'required' | 'wrong'> = {
  required: 'is required: give the words to search for.',
  wrong: [
    ['%20%20', 'is empty: give the words to search for.'],
    ['%00%0A', 'is empty: give the words to search for.'],
    ['%E6%97', 'is not valid percent-encoded UTF-8; write a literal % as %25.'],
  ],
}

const queryText: ParameterCases = {
  ...ofQueries,
  valid: ['pdf', 'a'.repeat(2_000), '%F0%9F%98%80'.repeat(600), 'a%00b', `${'+'.repeat(2_100)}a`],
  oversized: [
    ['a'.repeat(2_001), 'is longer than 2000 characters: shorten it.'],
    ['%C3%A9a'.repeat(1_001), 'is longer than 2000 characters: shorten it.'],
  ],
}

const typedText: ParameterCases = {
  ...ofQueries,
  valid: ['pdf', 'a'.repeat(200), '%F0%9F%98%80'.repeat(200), 'a%00b', `${'+'.repeat(300)}a`],
  oversized: [
    ['a'.repeat(201), 'is longer than 200 characters: shorten it.'],
    ['%F0%9F%98%80'.repeat(201), 'is longer than 200 characters: shorten it.'],
  ],
}

const search: QueryCases = {
  least: { q: 'pdf' },
  parameters: {
    ...filters,
    q: queryText,
    limit: wholeNumber(1, 100),
    page: page(50, beyondHits),
    sort: oneOf(['relevance', 'updated', 'stars', 'created', 'name']),
    order: { ...oneOf(['asc', 'desc']), valid: ['desc'] },
    distinct: oneOf(['repository']),
    mode: oneOf(['keyword', 'hybrid', 'semantic']),
    fold: yesNo,
    facets: commaList(facetNames),
    fields,
    highlight: yesNo,
    explain: yesNo,
  },
  together: [
    'q=pdf&page=34&limit=30',
    'q=pdf&page=1000&limit=1',
    'q=pdf&sort=stars&order=asc',
    'q=pdf&topic=a&topic=b',
    'q=pdf&sort=stars&mode=keyword',
    'q=pdf&sort=stars&mode=hybrid',
  ],
  apart: [
    ['q=pdf&page=11&limit=100', 'page', beyondHits],
    ['q=pdf&page=1001&limit=1', 'page', beyondHits],
    [
      'q=pdf&order=asc',
      'order',
      'cannot be asc with sort=relevance, which is best first: choose another sort, or omit order.',
    ],
    [
      'q=pdf&sort=stars&mode=semantic',
      'mode',
      'cannot be semantic with a sort other than relevance: meaning is an order of its own. Omit one of them.',
    ],
  ],
}

const oneSkill: QueryCases = { least: {}, parameters: { fields } }

const related: QueryCases = { least: {}, parameters: { limit: wholeNumber(1, 50), fields } }

/** The parameters of a page with a form. */
const asForm = (parameters: Record<string, ParameterCases>): Record<string, ParameterCases> =>
  Object.fromEntries(Object.entries(parameters).map(([name, cases]) => [name, { ...cases, formField: true }]))

const { required: _, ...optionalText } = queryText
const { owner, topic, license, language } = filters as Record<
  'owner' | 'topic' | 'license' | 'language',
  ParameterCases
>
const explorer: QueryCases = {
  least: {},
  parameters: asForm({
    q: optionalText,
    sort: oneOf(['relevance', 'updated', 'stars', 'created', 'name', 'trending']),
    page: wholeNumber(1, 500),
    owner,
    topic,
    license,
    language,
  }),
}

const listing: QueryCases = {
  least: {},
  parameters: { sort: oneOf(['stars', 'trending', 'updated', 'created', 'name']), page: wholeNumber(1, 500) },
}

const index: QueryCases = { least: {}, parameters: { page: wholeNumber(1, 100) } }

/** By path, for the paths with parameters. */
export const queryCases: Record<string, QueryCases> = {
  '/': explorer,
  '/organizations/acme': listing,
  '/topics/pdf': listing,
  '/repositories': listing,
  '/organizations': index,
  '/topics': index,
  '/api/skills': list,
  '/api/v1/skills': list,
  '/api/skills/acme/pdf': oneSkill,
  '/api/v1/skills/acme/pdf': oneSkill,
  '/api/skills/acme/pdf/related': related,
  '/api/v1/skills/acme/pdf/related': related,
  '/api/v1/skills/search': search,
  ...clientCases({ queryText, owners, aCursor }),
  '/api/v1/skills/suggest': { least: { q: 'pdf' }, parameters: { q: typedText, limit: wholeNumber(1, 10) } },
  '/api/v1/stats/history': { least: {}, parameters: { days: wholeNumber(1, 366) } },
  '/api/v1/export': {
    least: { type: 'skills' },
    parameters: {
      type: oneOf(['skills', 'prompts', 'organizations'], 'is required: one of skills, prompts, organizations.'),
      format: oneOf(['json', 'csv', 'ndjson']),
    },
  },
  '/api/v1/changes': {
    least: {},
    parameters: { since: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER), valid: ['0'] }, limit: wholeNumber(1, 1_000) },
  },
}
