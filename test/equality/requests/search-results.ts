import { get, type SharedRequest, search, walk } from './shared-request.js'

const allFacets = '&facets=topics,owner,license,language'

/** Requests for searches with further parameters. */
export const searchResultRequests: Record<string, SharedRequest[]> = {
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

  'searches paged to the end': walk(
    ...search('&limit=100', 'data', 'pdf', 'create simple', 'kumquat rhubarb zzzzzz'),
    ...search('&limit=3', 'kumquat'),
    ...search('&limit=100&sort=name', 'pdf'),
  ),

  'searches without matches, or with partial matches': get(
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
}
