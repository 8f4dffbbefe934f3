import { Skill } from '../../shared/records/skill.js'

const emptyMessage = 'is empty: give it a value or leave it out.'
const twice = 'is given 2 times; give it once.'
const text = (length: number) => `must be 1 to ${length} characters of plain text.`
const numbers = (minimum: number, maximum: number) => `must be a whole number from ${minimum} to ${maximum}.`
const yesNo = 'must be true or false.'
const moment =
  'must be a date (2026-01-31) or a time with its offset (2026-01-31T12:00:00Z, 2026-01-31T12:00:00%2B02:00).'
/** What is said of a name that could not be an owner's or a repository's. */
export const segment = 'must be 1 to 100 letters, digits, dots, underscores or hyphens'

/** What a parameter takes, and what is answered to everything else: query strings, and for each what is said of it. */
interface ParameterCases {
  valid: string[]
  refused: [querystring: string, message: string][]
}

const limit: ParameterCases = {
  valid: ['limit=1', 'limit=100'],
  refused: [
    ['limit=', emptyMessage],
    ['limit', emptyMessage],
    ['limit=1&limit=2', twice],
    ['limit=1&limit=1', twice],
    ...['0', '101', '-1', '1.5', '1e1', '%2B5', '+5', '%205', '5%20', '007', 'ten', '0x10', '5%00', '１'].map(
      (value): [string, string] => [`limit=${encodeWide(value)}`, numbers(1, 100)],
    ),
    [`limit=${'9'.repeat(400)}`, numbers(1, 100)],
  ],
}

const fieldNames = Object.keys(Skill.shape).join(', ')

const fields: ParameterCases = {
  valid: ['fields=id', 'fields=name,stars', 'fields=stars,stars', `fields=${fieldNames.replaceAll(' ', '')}`],
  refused: [
    ['fields=', emptyMessage],
    ['fields=name&fields=stars', twice],
    ...['nothing', 'name,', ',', 'name, stars', 'Name', 'name;stars', '%00', `${'name,'.repeat(1_000)}x`].map(
      (value): [string, string] => [`fields=${value}`, `must be a comma list of ${fieldNames}.`],
    ),
  ],
}

const notAnId = (id: string): string =>
  `holds ${JSON.stringify(id)}, which is not an owner and a repository such as acme/pdf-tools.`

const ids: ParameterCases = {
  valid: [
    'ids=acme/pdf',
    'ids=acme/pdf,ACME/PDF',
    'ids=acme%2Fpdf%2Cacme%2Fother',
    `ids=${'a'.repeat(100)}/${'b'.repeat(100)}`,
    `ids=${Array.from({ length: 100 }, (_, n) => `a/${n}`).join(',')}`,
    'ids=-/.',
  ],
  refused: [
    ['ids=', emptyMessage],
    ['ids=a/b&ids=c/d', twice],
    ...['acme', 'acme/', '/pdf', 'a/b/c', 'a b/c', 'a/ñ', 'a/b ', 'a/\0b', `${'a'.repeat(101)}/b`, '\u202e'].map(
      (id): [string, string] => [`ids=a/b,${encodeURIComponent(id)}`, notAnId(id.slice(0, 100))],
    ),
    ['ids=a/b,', notAnId('')],
    ['ids=,a/b', notAnId('')],
    ['ids=a/b,,c/d', notAnId('')],
    [
      `ids=${Array.from({ length: 101 }, (_, n) => `a/${n}`).join(',')}`,
      'names 101 skills; ask for at most 100 at once.',
    ],
  ],
}

const filters: Record<string, ParameterCases> = {
  owner: {
    valid: ['owner=acme', 'owner=ACME', `owner=${'a'.repeat(100)}`],
    refused: [
      ['owner=', emptyMessage],
      ['owner=a&owner=b', twice],
      ['owner=a%2Fb', segment],
      ['owner=a%20b', segment],
      ['owner=%00', segment],
      [`owner=${'a'.repeat(101)}`, segment],
    ],
  },
  topic: {
    valid: ['topic=pdf', 'topic=pdf&topic=PDF', 'topic=%20pdf%20', `topic=${'a'.repeat(100)}`, 'topic=%E6%97%A5'],
    refused: [
      ['topic=', emptyMessage],
      ['topic=pdf&topic=', emptyMessage],
      ['topic=%20', text(100)],
      ['topic=a%00b', text(100)],
      ['topic=a%0Ab', text(100)],
      [`topic=${'a'.repeat(101)}`, text(100)],
      ['topic=x&'.repeat(21), 'is given more than 20 times, and no skill has as many topics.'],
    ],
  },
  license: {
    valid: ['license=MIT', 'license=mit'],
    refused: [
      ['license=', emptyMessage],
      ['license=a&license=b', twice],
      ['license=%7F', text(200)],
      [`license=${'a'.repeat(201)}`, text(200)],
    ],
  },
  language: {
    valid: ['language=C%2B%2B', 'language=go'],
    refused: [
      ['language=', emptyMessage],
      ['language=a&language=b', twice],
      ['language=%1B', text(100)],
      [`language=${'a'.repeat(101)}`, text(100)],
    ],
  },
  archived: {
    valid: ['archived=true', 'archived=false'],
    refused: [
      ['archived=', emptyMessage],
      ['archived=true&archived=false', twice],
      ...['1', 'yes', 'TRUE', 'null'].map((value): [string, string] => [`archived=${value}`, yesNo]),
    ],
  },
  minStars: {
    valid: ['minStars=0', 'minStars=1000000000'],
    refused: [
      ['minStars=', emptyMessage],
      ['minStars=1&minStars=2', twice],
      ...['-1', '1.5', '1e3', 'many', '1000000001'].map((value): [string, string] => [
        `minStars=${value}`,
        numbers(0, 1_000_000_000),
      ]),
    ],
  },
  updatedSince: {
    valid: [
      'updatedSince=2026-01-31',
      'updatedSince=2026-01-31T12:00:00Z',
      'updatedSince=2026-01-31T12:00:00.123456Z',
      'updatedSince=2026-01-31T12:00:00%2B02:00',
      'updatedSince=2026-01-31T12:00:00+02:00',
      'updatedSince=2026-01-31T12:00:00-02:00',
    ],
    refused: [
      ['updatedSince=', emptyMessage],
      ['updatedSince=2026-01-31&updatedSince=2026-02-01', twice],
      ...[
        'yesterday',
        '2026',
        '2026-1-31',
        '2026-02-30',
        '2026-01-31T12:00:00',
        '2026-01-31T25:00:00Z',
        '1769817600',
        '9999-12-31T23:59:59-23:00',
        '2026-01-31T12:00:00Z%00',
      ].map((value): [string, string] => [`updatedSince=${value}`, moment]),
    ],
  },
}

const listParameters: Record<string, ParameterCases> = {
  ...filters,
  limit,
  ids,
  fields,
  page: {
    valid: ['page=1', 'page=500', 'page=100&limit=100', 'page=10000&limit=1'],
    refused: [
      ['page=', emptyMessage],
      ['page=1&page=2', twice],
      ...['0', '-1', '1.0', '01', 'last'].map((value): [string, string] => [
        `page=${value}`,
        'must be a whole number from 1.',
      ]),
      ...['page=501', 'page=101&limit=100', 'page=10001&limit=1', `page=${'9'.repeat(400)}`].map(
        (query): [string, string] => [
          query,
          'reaches beyond the first 10000 rows: go on with cursor, or take all of it from /api/v1/export.',
        ],
      ),
      ['page=1&cursor=x', 'cannot be given together with cursor: choose one of them.'],
    ],
  },
  cursor: {
    valid: [],
    refused: [
      ['cursor=', emptyMessage],
      ['cursor=x&cursor=y', twice],
      ...['x', '%00', '%F0%9F%98%80', 'W10', 'A'.repeat(5_000)].map((value): [string, string] => [
        `cursor=${value}`,
        'is damaged or not one of ours: use nextCursor exactly as given, or leave it out to start again.',
      ]),
    ],
  },
  sort: {
    valid: ['sort=updated', 'sort=stars', 'sort=created', 'sort=name'],
    refused: [
      ['sort=', emptyMessage],
      ['sort=name&sort=stars', twice],
      ...['relevance', 'Stars', 'stars;drop', '%00'].map((value): [string, string] => [
        `sort=${value}`,
        'must be one of updated, stars, created, name.',
      ]),
    ],
  },
  order: {
    valid: ['order=asc', 'order=desc'],
    refused: [
      ['order=', emptyMessage],
      ['order=asc&order=desc', twice],
      ['order=up', 'must be one of asc, desc.'],
    ],
  },
}

const queryText: ParameterCases = {
  valid: ['q=pdf', `q=${'a'.repeat(200)}`, `q=${'%F0%9F%98%80'.repeat(200)}`, 'q=a%00b', `q=${'+'.repeat(300)}a`],
  refused: [
    ['', 'is required: give the words to look for.'],
    ['q=', 'is empty: it is required and needs a value.'],
    ['q', 'is empty: it is required and needs a value.'],
    ['q=%20%20', 'is empty: give the words to look for.'],
    ['q=%00%0A', 'is empty: give the words to look for.'],
    ['q=a&q=b', twice],
    [`q=${'a'.repeat(201)}`, 'is longer than 200 characters: shorten it.'],
    ['q=%E6%97', 'is not valid percent-encoded UTF-8; write a literal % as %25.'],
  ],
}

const searchParameters: Record<string, ParameterCases> = {
  ...Object.fromEntries(
    Object.entries({ ...filters, limit, fields }).map(([name, { valid, refused }]) => [
      name,
      {
        valid: valid.map((query) => `q=pdf&${query}`),
        refused: refused.map(([query, message]): [string, string] => [`q=pdf&${query}`, message]),
      },
    ]),
  ),
  q: queryText,
  page: {
    valid: ['q=pdf&page=1', 'q=pdf&page=50', 'q=pdf&page=34&limit=30', 'q=pdf&page=1000&limit=1'],
    refused: [
      ['q=pdf&page=', emptyMessage],
      ['q=pdf&page=1&page=1', twice],
      ['q=pdf&page=0', 'must be a whole number from 1.'],
      ...['page=51', 'page=11&limit=100', 'page=1001&limit=1'].map((query): [string, string] => [
        `q=pdf&${query}`,
        'reaches beyond the first 1000 hits: narrow the search, list with /api/v1/skills, or export.',
      ]),
    ],
  },
  sort: {
    valid: ['relevance', 'updated', 'stars', 'created', 'name'].map((value) => `q=pdf&sort=${value}`),
    refused: [
      ['q=pdf&sort=', emptyMessage],
      ['q=pdf&sort=score', 'must be one of relevance, updated, stars, created, name.'],
    ],
  },
  order: {
    valid: ['q=pdf&order=desc', 'q=pdf&sort=relevance&order=desc', 'q=pdf&sort=stars&order=asc'],
    refused: [
      ['q=pdf&sort=stars&order=', emptyMessage],
      ['q=pdf&sort=stars&order=up', 'must be one of asc, desc.'],
      [
        'q=pdf&order=asc',
        'cannot be asc with sort=relevance, which is best first: choose another sort, or leave order out.',
      ],
    ],
  },
  facets: {
    valid: ['q=pdf&facets=topics', 'q=pdf&facets=topics,owner,license,language', 'q=pdf&facets=topics,topics'],
    refused: [
      ['q=pdf&facets=', emptyMessage],
      ['q=pdf&facets=topics&facets=owner', twice],
      ...['stars', 'topics,', ',', 'topics, owner', 'Topics'].map((value): [string, string] => [
        `q=pdf&facets=${encodeURIComponent(value)}`,
        'must be a comma list of topics, owner, license, language.',
      ]),
    ],
  },
  highlight: {
    valid: ['q=pdf&highlight=true', 'q=pdf&highlight=false'],
    refused: [
      ['q=pdf&highlight=', emptyMessage],
      ['q=pdf&highlight=1', yesNo],
    ],
  },
}

const suggestParameters: Record<string, ParameterCases> = {
  q: queryText,
  limit: {
    valid: ['q=pdf&limit=1', 'q=pdf&limit=10'],
    refused: [
      ['q=pdf&limit=', emptyMessage],
      ['q=pdf&limit=1&limit=2', twice],
      ...['0', '11', '-1', '1.5', 'ten', '9'.repeat(400)].map((value): [string, string] => [
        `q=pdf&limit=${value}`,
        numbers(1, 10),
      ]),
    ],
  },
}

const exportParameters: Record<string, ParameterCases> = {
  type: {
    valid: ['type=skills', 'type=prompts', 'type=organizations'],
    refused: [
      ['', 'is required: one of skills, prompts, organizations.'],
      ['type=', 'is empty: it is required and needs a value.'],
      ['type=skills&type=prompts', twice],
      ...['skill', 'Skills', '%00', '../skills'].map((value): [string, string] => [
        `type=${value}`,
        'must be one of skills, prompts, organizations.',
      ]),
    ],
  },
  format: {
    valid: ['type=skills&format=json', 'type=skills&format=csv'],
    refused: [
      ['type=skills&format=', emptyMessage],
      ['type=skills&format=csv&format=csv', twice],
      ['type=skills&format=xml', 'must be one of json, csv.'],
    ],
  },
}

const changesParameters: Record<string, ParameterCases> = {
  since: {
    valid: ['since=0'],
    refused: [
      ['since=', emptyMessage],
      ['since=0&since=0', twice],
      ...['-1', '1.5', '1e3', '+5', 'now', '00', '9007199254740992', '9'.repeat(400), '2026-01-01'].map(
        (value): [string, string] => [`since=${encodeURIComponent(value)}`, numbers(0, Number.MAX_SAFE_INTEGER)],
      ),
    ],
  },
  limit: {
    valid: ['limit=1', 'limit=1000'],
    refused: [
      ['limit=', emptyMessage],
      ['limit=1&limit=1', twice],
      ...['0', '1001', '-1', 'ten'].map((value): [string, string] => [`limit=${value}`, numbers(1, 1_000)]),
    ],
  },
}

/** By path and parameter. */
export const parameterCases: Record<string, Record<string, ParameterCases>> = {
  '/api/skills': listParameters,
  '/api/v1/skills': listParameters,
  '/api/skills/acme/pdf': { fields },
  '/api/v1/skills/acme/pdf': { fields },
  '/api/v1/skills/search': searchParameters,
  '/api/v1/skills/suggest': suggestParameters,
  '/api/v1/export': exportParameters,
  '/api/v1/changes': changesParameters,
}

/** Characters beyond ASCII percent-encoded; what is encoded already stays. */
function encodeWide(value: string): string {
  return value.replace(/[^\0-\x7f]/g, encodeURIComponent)
}
