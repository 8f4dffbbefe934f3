import { get, type SharedRequest, suggestions } from './shared-request.js'

/** Requests for completions. */
export const completionRequests: Record<string, SharedRequest[]> = {
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
}
