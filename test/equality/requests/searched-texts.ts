import { get, type SharedRequest, search } from './shared-request.js'

/** Requests for searches with different texts. */
export const searchedTextRequests: Record<string, SharedRequest[]> = {
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

  'incomplete words': get(...search('', 'k', 'ku', 'kum', 'p', 'pd', 'mark', 'pdf ta', 'data an', 'the f')),

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

  'joined and split words': get(
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
}
