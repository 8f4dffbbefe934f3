import { getWith, type SharedRequest } from './shared-request.js'

const exported = '/api/v1/export?type=skills&format=csv'

/** Requests whose headers matter. */
export const headerRequests: Record<string, SharedRequest[]> = {
  'encoded responses': ['br', 'gzip', 'br;q=0, *', 'identity'].flatMap((accepted) =>
    getWith(
      { 'Accept-Encoding': accepted },
      '/api/v1/skills',
      '/api/v1/skills/search?q=pdf',
      '/api/v1/stats',
      exported,
    ),
  ),

  'conditional requests': getWith(
    { 'If-None-Match': '*' },
    ...['/api/skills', '/api/v1/skills/acme/kumquat', '/api/v1/skills/search?q=pdf', '/api/v1/skills/suggest?q=pdf'],
    ...['/api/v1/stats', '/api/v1/exports', '/api/v1/changes', exported],
    // There is nothing to compare with.
    ...['/api/v1/skills/acme/gone', '/api/v1/skills/acme/unknown'],
  ),

  'parts of a file': ['bytes=0-9', 'bytes=-2', 'bytes=99999999-', 'bytes=0-1,5-6', 'rows=1-2'].flatMap((range) => [
    ...getWith({ Range: range }, exported),
    ...getWith({ Range: range, 'If-Range': '"of-no-file"' }, exported),
  ]),

  'pages of other origins': [
    ...getWith({ Origin: 'https://page.example' }, '/api/skills', '/api/skills?limit=x', exported),
    {
      method: 'OPTIONS',
      path: '/api/v1/skills/search?q=pdf',
      headers: {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'if-none-match, x-request-id',
      },
    },
  ],

  'programs and browsers at the home page': [
    ...getWith({ Accept: 'text/html,*/*;q=0.8' }, '/'),
    ...getWith({ Accept: 'application/json' }, '/'),
  ],
}
