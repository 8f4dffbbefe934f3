import { segmentMessage } from './parameter-cases.js'
import type { AtLeastOne } from './parameter-kinds.js'

/** A variable path segment: valid values, and refused ones. */
export interface SegmentCases {
  /** `*` is replaced with the value. */
  path: string
  /** The status and code: found, or valid and not found. */
  lookedUp: AtLeastOne<[value: string, status: number]>
  refused: AtLeastOne<[value: string, status: number, code: string]>
  oversized: AtLeastOne<[value: string, status: number, code: string]>
  /** The message for an invalid value; default: that of a name. */
  message?: string
}

const nameSegment = (path: string, found: string, status = 200): SegmentCases => ({
  path,
  lookedUp: [
    [found, status],
    [found.toUpperCase(), status],
    ['a'.repeat(100), 404],
    ['a.b_c-d', 404],
  ],
  refused: [
    ['a%20b', 400, 'invalid_parameters'],
    ...['a%2Fb', 'p%3Fdf', '%E6%97%A5', 'a;b', '%25', '~'].map((value): [string, number, string] => [
      value,
      400,
      'invalid_parameters',
    ]),
    ['%00', 400, 'malformed_url'],
    ['%FF', 400, 'malformed_url'],
    ['', 404, 'unknown_path'],
  ],
  oversized: [
    ['a'.repeat(101), 400, 'invalid_parameters'],
    ['a'.repeat(9_000), 414, 'url_too_long'],
  ],
})

/** A part of an address that is redirected for any name. */
const redirectedSegment = (path: string): SegmentCases => {
  const cases = nameSegment(path, 'pdf')
  return {
    ...cases,
    lookedUp: [
      ['pdf', 308],
      ['PDF', 308],
    ],
    // Without its last part it is the address of another page, with a slash at its end.
    refused: [
      ['a%20b', 400, 'invalid_parameters'],
      ...cases.refused.filter(([value]) => value !== '' || !path.endsWith('*')),
    ],
  }
}

/** Without its last part the address is that of a page of all, with a slash at its end. */
const withIndex = (cases: SegmentCases): SegmentCases => {
  const [first, ...others] = cases.refused.filter(([value]) => value !== '')
  return first === undefined ? cases : { ...cases, refused: [first, ...others] }
}

/** A repository, or one of several skills of a repository. */
const repositorySegment = (path: string, status = 200): SegmentCases => {
  const cases = nameSegment(path, 'pdf', status)
  return {
    ...cases,
    lookedUp: [...cases.lookedUp, ['pdf@a', 404], ['pdf%40A-1', 404], [`pdf@${'a'.repeat(64)}`, 404]],
    refused: [
      ...cases.refused,
      ...['pdf@', '@a', 'pdf@a@b', 'pdf@a_b', 'pdf@a.b', 'pdf@%C3%A9'].map((value): [string, number, string] => [
        value,
        400,
        'invalid_parameters',
      ]),
    ],
    oversized: [...cases.oversized, [`pdf@${'a'.repeat(65)}`, 400, 'invalid_parameters']],
    message: `${segmentMessage}, and may have the name of one of its skills after an @`,
  }
}

/** A name of which the owner is a parameter. */
const withOwner = (cases: SegmentCases): SegmentCases => ({ ...cases, path: `${cases.path}?ownerHandle=acme` })

const snapshotSegment = (file: string, lookedUp: [name: string, status: number]): SegmentCases => ({
  path: `/api/v1/exports/*/${file}`,
  lookedUp: [lookedUp],
  refused: [
    ['latest', 404, 'export_unknown'],
    ['..%2F..', 404, 'export_unknown'],
    ['%00', 400, 'malformed_url'],
    ['', 404, 'unknown_path'],
  ],
  oversized: [
    ['2'.repeat(1_000), 404, 'export_unknown'],
    ['2'.repeat(9_000), 414, 'url_too_long'],
  ],
})

const index = '.well-known/agent-skills/index.json'

/** By the endpoint's path, and the name of the segment. */
export const segmentCases: Record<string, Record<string, SegmentCases>> = Object.fromEntries([
  ...['/api/skills', '/api/v1/skills', '/skills'].map((path) => [
    `${path}/:owner/:repo`,
    { owner: nameSegment(`${path}/*/pdf`, 'acme'), repo: repositorySegment(`${path}/acme/*`) },
  ]),
  [
    `/skills/:owner/:repo/${index}`,
    { owner: nameSegment(`/skills/*/pdf/${index}`, 'acme'), repo: repositorySegment(`/skills/acme/*/${index}`) },
  ],
  ...['/api/skills', '/api/v1/skills'].flatMap((path) =>
    ['related', 'history', 'files', 'SKILL.md'].map((last) => {
      // No skill of this catalog has a text.
      const found = last === 'files' || last === 'SKILL.md' ? 404 : 200
      return [
        `${path}/:owner/:repo/${last}`,
        {
          owner: nameSegment(`${path}/*/pdf/${last}`, 'acme', found),
          repo: repositorySegment(`${path}/acme/*/${last}`, found),
        },
      ]
    }),
  ),
  [
    '/skills/:owner/:repo/:skill',
    {
      owner: redirectedSegment('/skills/*/pdf/tables'),
      repo: redirectedSegment('/skills/acme/*/tables'),
      skill: redirectedSegment('/skills/acme/pdf/*'),
    },
  ],
  ['/organizations/:owner', { owner: withIndex(nameSegment('/organizations/*', 'acme')) }],
  [
    '/topics/:topic',
    {
      topic: {
        path: '/topics/*',
        message: 'must be 1 to 100 characters of plain text',
        lookedUp: [
          ['pdf', 200],
          ['PDF', 200],
          ['c%2B%2B', 404],
          ['%E6%97%A5', 404],
        ],
        refused: [
          ['%20', 400, 'invalid_parameters'],
          ['%00', 400, 'malformed_url'],
        ],
        oversized: [
          ['a'.repeat(101), 400, 'invalid_parameters'],
          ['a'.repeat(9_000), 414, 'url_too_long'],
        ],
      },
    },
  ],
  ['/clawhub/api/v1/skills/:slug', { slug: withOwner(repositorySegment('/clawhub/api/v1/skills/*')) }],
  [
    '/agents/:identifier',
    {
      identifier: {
        path: '/agents/*',
        message: 'must be an identifier such as urn:air:catalog.example:skills:owner:repo',
        lookedUp: [
          ['urn:air:skill-catalog.invalid:skills:acme:pdf', 200],
          ['urn%3Aair%3Askill-catalog.invalid%3Askills%3Aacme%3Apdf', 200],
          ['urn:air:skill-catalog.invalid:skills:ACME:pdf', 404],
          ['urn:air:other.example:a', 404],
        ],
        refused: [
          ...['pdf', 'urn:air:a', 'urn:ai:a.example:b', 'URN:air:a.example:b', 'urn:air:a.example:b%2Fc'].map(
            (value): [string, number, string] => [value, 400, 'invalid_parameters'],
          ),
          ['%00', 400, 'malformed_url'],
          ['%FF', 400, 'malformed_url'],
        ],
        oversized: [[`urn:air:a.example:${'b'.repeat(9_000)}`, 414, 'url_too_long']],
      },
    },
  ],
  [
    '/sitemaps/:file',
    {
      file: {
        path: '/sitemaps/*',
        lookedUp: [['1.xml', 200]],
        refused: [
          ['2.xml', 404, 'sitemap_unknown'],
          ['0.xml', 404, 'sitemap_unknown'],
          ['01.xml', 404, 'sitemap_unknown'],
          ['1', 404, 'sitemap_unknown'],
          ['-1.xml', 404, 'sitemap_unknown'],
          ['%00', 400, 'malformed_url'],
          ['', 404, 'unknown_path'],
        ],
        oversized: [
          [`${'1'.repeat(1_000)}.xml`, 404, 'sitemap_unknown'],
          [`${'1'.repeat(9_000)}.xml`, 414, 'url_too_long'],
        ],
      },
    },
  ],
  ...['manifest.json', 'manifest.json.minisig'].map((file) => [
    `/api/v1/exports/:snapshot/${file}`,
    { snapshot: snapshotSegment(file, ['20200101T000000000Z', 410]) },
  ]),
  // No dataset was published.
  [
    '/api/v1/exports/:snapshot/catalog.sqlite',
    { snapshot: snapshotSegment('catalog.sqlite', ['20200101T000000000Z-dataset', 404]) },
  ],
  [
    '/api/v1/exports/:snapshot/:table.parquet',
    {
      snapshot: snapshotSegment('skills.parquet', ['20200101T000000000Z-dataset', 404]),
      table: {
        path: '/api/v1/exports/20200101T000000000Z-dataset/*.parquet',
        lookedUp: [['skills', 404]],
        refused: [
          ['topics', 404, 'export_unknown'],
          ['Skills', 404, 'export_unknown'],
          ['%00', 400, 'malformed_url'],
        ],
        oversized: [
          ['s'.repeat(1_000), 404, 'export_unknown'],
          ['s'.repeat(9_000), 414, 'url_too_long'],
        ],
      },
    },
  ],
  [
    '/api/v1/exports/:snapshot/:file',
    {
      snapshot: snapshotSegment('skills.csv', ['20200101T000000000Z', 410]),
      file: {
        path: '/api/v1/exports/20200101T000000000Z/*',
        lookedUp: [
          ['skills.csv', 410],
          ['organizations.ndjson', 410],
        ],
        refused: [
          ['skills', 404, 'export_unknown'],
          ['skills.xml', 404, 'export_unknown'],
          ['Skills.csv', 404, 'export_unknown'],
          ['..%2Fskills.csv', 404, 'export_unknown'],
          ['', 404, 'unknown_path'],
        ],
        oversized: [
          [`${'s'.repeat(1_000)}.csv`, 404, 'export_unknown'],
          [`${'s'.repeat(9_000)}.csv`, 414, 'url_too_long'],
        ],
      },
    },
  ],
])
