import { queryCases } from '../endpoints/parameter-cases.js'

/** A request, and whether the pages behind it belong to it. */
export interface SharedRequest {
  method: string
  path: string
  /** `next`: what its `Link: …; rel="next"` leads to is asked for as well, and so on to the end. */
  follow?: 'next'
}

const get = (...paths: string[]): SharedRequest[] => paths.map((path) => ({ method: 'GET', path }))
const walk = (...paths: string[]): SharedRequest[] => paths.map((path) => ({ method: 'GET', path, follow: 'next' }))

const list = (...queries: string[]): string[] => queries.map((query) => `/api/v1/skills?${query}`)

/** Searches for texts, each with the same further parameters. */
export const search = (more: string, ...texts: string[]): string[] =>
  texts.map((text) => `/api/v1/skills/search?q=${encodeURIComponent(text)}${more}`)

const suggestions = (...texts: string[]): string[] =>
  texts.map((text) => `/api/v1/skills/suggest?q=${encodeURIComponent(text)}`)

const allFacets = '&facets=topics,owner,license,language'

/** What both modes are asked, by what it is about. */
export const requests: Record<string, SharedRequest[]> = {
  'lists in every order': get(
    '/api/skills',
    ...['updated', 'stars', 'created', 'name'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => list(`sort=${sort}&order=${order}&limit=50`)),
    ),
  ),

  'lists with filters': get(
    ...list(
      'owner=ACME',
      'owner=nobody',
      'topic=pdf',
      'topic=pdf&topic=ocr',
      'topic=C%2B%2B',
      'topic=caf%C3%A9',
      'license=mit',
      'license=Apache-2.0&sort=stars',
      'language=c%23',
      'language=Python&archived=false',
      'archived=true',
      'minStars=1000&sort=stars&order=asc',
      'minStars=0',
      'updatedSince=2025-06-01',
      'updatedSince=2025-06-01T12:00:00%2B02:00&sort=created',
      'owner=twins&sort=stars',
    ),
  ),

  'lists walked to the end': walk(
    ...list(
      'limit=100&language=python',
      'limit=100&license=mit&sort=stars&order=asc',
      'limit=50&language=go&sort=created',
      'limit=50&language=rust&sort=name',
      'limit=7&archived=true&sort=stars',
      'limit=3&owner=twins&sort=name&order=desc',
    ),
  ),

  'lists by page': get(...list('page=1', 'page=2&limit=7', 'page=3&limit=100&sort=stars', 'page=100&limit=100')),

  'pages, feeds and documents': get(
    '/',
    '/openapi.json',
    '/docs/errors',
    '/robots.txt',
    '/llms.txt',
    '/.well-known/api-catalog',
    '/feed.atom',
    '/sitemap.xml',
    '/sitemaps/2.xml',
    '/skills/QUILLMOOR/pdf-table-lifter',
    '/skills/acme/old-name',
    '/skills/acme/gone',
    '/skills/acme/hidden',
  ),

  'one skill': get(
    '/api/skills/quillmoor/pdf-table-lifter',
    '/api/v1/skills/QUILLMOOR/PDF-Table-Lifter',
    '/api/v1/skills/acme/kumquat',
    '/api/v1/skills/acme/old-name',
    '/api/skills/Other/Older.Name',
    '/api/v1/skills/acme/gone',
    '/api/v1/skills/acme/hidden',
    '/api/v1/skills/quillmoor/pdf-table-liftr',
    '/api/v1/skills/quilmoor/pdf-table-lifter',
    '/api/v1/skills/nobody/pdf-table-lifter',
    '/api/v1/skills/zzzzzz/qqqqqqq',
  ),

  'skills by their ids': get(
    ...list(
      'ids=quillmoor/pdf-table-lifter,ACME/Kumquat,acme/old-name,acme/gone,acme/hidden,nobody/nothing,Other/Older.Name',
      'ids=acme/kumquat&fields=name,stars',
      'ids=acme/gone',
      'ids=acme',
      'ids=acme/kumquat&limit=5',
    ),
  ),

  'some fields only': get(
    ...list('fields=name,stars,license&limit=5', 'fields=id&sort=name', 'fields=nothing'),
    ...search('&fields=name,topics&highlight=true', 'kumquat'),
    '/api/v1/skills/acme/kumquat?fields=updatedAt,description',
    '/api/v1/skills/acme/old-name?fields=name',
  ),

  'searches for one word': get(
    ...search('', 'pdf', 'table', 'kumquat', 'rhubarb', 'markdown', 'the', 'python', 'data', 'kubernetes', 'create'),
  ),

  'searches for several words': get(
    ...search(
      '',
      'pdf table',
      'table pdf',
      'kumquat peeler',
      'data analysis',
      'the data',
      'reads the file',
      'extracts tables from scanned pdf',
      'create simple pdf',
      'review code in the',
      'the create',
      'and crate',
      'data pdf table code web game the and',
    ),
  ),

  'completions for a search box': get(
    ...suggestions(
      ...['k', 'ku', 'kum', 'p', 'pd', 'pdf', 'mark', 'pdf ta', 'ta pdf', 'data an', 'the', 'acme', 'acme/', 'acme/k'],
      ...[
        'twins/al',
        'twins',
        'quillmoor',
        'Kumquat Peeler',
        'acme/kumquat',
        'langchain',
        'cafe',
        'データ',
        '縦',
        '🦀',
      ],
      ...[
        'kumqat',
        'kumqaut',
        'markdwon',
        'kuberntes',
        'documantaiton',
        'pdftable',
        'data base',
        'zzzzzz',
        '---',
        '"a',
      ],
    ),
    '/api/v1/skills/suggest?q=p&limit=3',
    '/api/v1/skills/suggest?q=p&limit=11',
    '/api/v1/skills/suggest',
  ),

  'words that are being typed': get(...search('', 'k', 'ku', 'kum', 'p', 'pd', 'mark', 'pdf ta', 'data an', 'the f')),

  'words with typos': get(
    ...search(
      '',
      'kumquats',
      'kumqat',
      'kumqutat',
      'kumquot',
      'kumqaut',
      'lumquat',
      'tabel',
      'markdwon',
      'kuberntes',
      'kubrentes',
      'uubernetes',
      'documantaiton',
      'pdf tabel',
      'extarcts tables',
      'pfd',
      'gpt4o',
    ),
  ),

  'words written together and apart': get(
    ...search(
      '',
      'database',
      'data base',
      'database kumquat',
      'kumquatpeeler',
      'kum quat',
      'mark down',
      'pdf-table-lifter',
    ),
  ),

  'phrases and exclusions': get(
    ...search(
      '',
      '"kumquat peeler"',
      '"peeler kumquat"',
      '"the data"',
      'pdf "decimal commas"',
      'kumquat -peeler',
      'pdf -table -ocr',
      'pdf -"page break"',
      '-pdf',
      '"acme kumquat"',
    ),
  ),

  'owner/repo and exact names': get(
    ...search(
      '',
      'acme/kumquat',
      'Acme Kumquat',
      'quillmoor/pdf-table-lifter',
      'PDF Table Lifter',
      'twins/alpha',
      'acme',
    ),
  ),

  'other scripts and spellings': get(
    ...search(
      '',
      'データ',
      '分析',
      'データ分析',
      '縦書き',
      '数据',
      '문서',
      '한국어',
      '🦀',
      'cafe',
      'CAFÉ',
      'strasse',
      'Straße',
    ),
    ...search('', 'ubersetzung', 'ｃａｆé', 'langchain', 'chain', 'LangChainTools', 'c++', 'c#'),
  ),

  'searches with filters': get(
    ...search('&owner=acme', 'kumquat'),
    ...search('&license=MIT', 'pdf', 'kumquat'),
    ...search('&topic=pdf&minStars=100', 'table'),
    ...search('&language=python&archived=false', 'data'),
    ...search('&updatedSince=2025-09-01', 'pdf table'),
    ...search('&owner=nobody', 'pdf'),
  ),

  'searches in every order': get(
    ...['updated', 'stars', 'created', 'name'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => search(`&sort=${sort}&order=${order}`, 'data')),
    ),
    ...search('&sort=stars', 'kumquat peeler', 'pdf tabel', 'kumquat zzzzzz'),
  ),

  facets: get(
    ...search(allFacets, 'pdf', 'kumquat', 'data analysis', 'kumqaut', 'zzzzzz', 'kumquat rhubarb zzzzzz'),
    ...search(`${allFacets}&license=MIT&sort=stars`, 'data'),
  ),

  highlights: get(
    ...search(
      '&highlight=true',
      'kumquat',
      'kumqaut',
      'pdf tab',
      'kum quat',
      'database',
      '"kumquat peeler"',
      'データ分析',
    ),
    ...search('&highlight=true', 'cafe strasse', 'lang', 'acme/html'),
  ),

  'searches walked to the end': walk(
    ...search('&limit=100', 'data', 'pdf', 'create simple', 'kumquat rhubarb zzzzzz'),
    ...search('&limit=3', 'kumquat'),
    ...search('&limit=100&sort=name', 'pdf'),
  ),

  'searches that find nothing, or some of the words': get(
    ...search(
      '',
      'zzzzzz',
      'zzzzzz qqqqqq',
      '---',
      '"zzzzzz"',
      'kumquat zzzzzz',
      'rhubarb kumquat zzzzzz',
      'pdf zzzzzz',
      'data pdf zzzzzz',
      'the data pdf zzzzzz',
      'kumquat rhubarb',
    ),
    ...search('&page=2&limit=10', 'kumquat rhubarb zzzzzz', 'data', 'kumquat peeler'),
    ...search('&page=10&limit=100', 'data'),
    ...search('&page=50&limit=20', 'pdf table'),
  ),

  'the figures, the files and the health': [
    ...get(
      '/api/v1/stats',
      ...['skills', 'prompts', 'organizations'].flatMap((type) => [
        `/api/v1/export?type=${type}`,
        `/api/v1/export?type=${type}&format=csv`,
        `/api/v1/export?type=${type}&format=ndjson`,
      ]),
      '/api/v1/exports',
      '/healthz',
      '/readyz',
    ),
    { method: 'HEAD', path: '/api/v1/export?type=skills&format=csv' },
    { method: 'HEAD', path: '/api/v1/skills' },
  ],

  'every value that parameters are said to take': get(...takenValues()),

  'what is refused': [
    ...get(
      ...list(
        'limit=0',
        'limit=101&sort=size',
        'cursor=nonsense',
        'page=2&cursor=x',
        'page=101&limit=100',
        'colour=red',
      ),
      '/api/v1/skills/search',
      '/api/v1/skills/search?q=',
      `/api/v1/skills/search?q=${'x'.repeat(201)}`,
      ...search('&sort=relevance&order=asc', 'pdf'),
      ...search('&page=11&limit=100', 'pdf'),
      ...search('&facets=stars', 'pdf'),
      '/api/v1/export?type=everything',
      '/api/v1/export?type=skills&format=xml',
      '/api/v1/exports/20200101T000000000Z/skills.csv',
      '/api/v1/exports/20200101T000000000Z/skills.xml',
      '/api/v1/skills/-/x!',
      '/api/v2/skills',
      '/',
    ),
    { method: 'POST', path: '/api/v1/skills' },
    { method: 'DELETE', path: '/api/v1/skills/acme/kumquat' },
    { method: 'OPTIONS', path: '/api/v1/skills' },
  ],
}

/** Requests with each value that the tables of parameters call valid. Sequences of changes are each catalog's own. */
function takenValues(): string[] {
  return Object.entries(queryCases)
    .filter(([path]) => path !== '/api/v1/changes')
    .flatMap(([path, { least, parameters, together = [] }]) => [
      ...Object.entries(parameters).flatMap(([name, { valid }]) => {
        const { [name]: _itself, ...others } = least
        return valid.map((value) => `${path}?${new URLSearchParams(others)}&${name}=${value}`)
      }),
      ...together.map((query) => `${path}?${query}`),
    ])
}
