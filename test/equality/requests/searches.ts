import { facetNames } from '../../../shared/ports/filter-table.js'
import { get, type SharedRequest, search, walk } from './shared-request.js'

const allFacets = `&facets=${facetNames}`

/** Searches, by subject. */
export const searchRequests: Record<string, SharedRequest[]> = {
  'searches for words': get(
    ...search('', 'pdf, table, kumquat, rhubarb, markdown, the, python, data, kubernetes, create'),
    ...search('', 'pdf table, table pdf, kumquat peeler, data analysis, the data, reads the file, the create'),
    ...search('', 'extracts tables from scanned pdf, create simple pdf, review code in the, and crate'),
    ...search('', 'data pdf table code web game the and, how do I extract tables from a scanned pdf'),
  ),

  'searches for incomplete, misspelled, joined and split words': get(
    ...search('', 'k, ku, kum, p, pd, mark, pdf ta, data an, the f'),
    ...search('', 'kumquats, kumqat, kumqutat, kumquot, kumqaut, lumquat, tabel, markdwon, kuberntes, kubrentes'),
    ...search('', 'uubernetes, documantaiton, pdf tabel, extarcts tables, pfd, gpt4o'),
    ...search('', 'database, data base, database kumquat, kumquatpeeler, kum quat, mark down, pdf-table-lifter'),
  ),

  'searches for phrases, exclusions and names': get(
    ...search('', '"kumquat peeler", "peeler kumquat", "the data", pdf "decimal commas", "acme kumquat", "zzzzzz"'),
    ...search('', 'kumquat -peeler, kumquat -tools, pdf -table -ocr, pdf -"page break", -pdf, pdf -simple'),
    ...search('', 'acme/kumquat, Acme Kumquat, quillmoor/pdf-table-lifter, PDF Table Lifter, twins/alpha, acme'),
    ...search(
      '',
      'orchard/kit@peel, orchard/kit/peel, Orchard/Tools@Carve, orchard kit peel, peel, orchard/kit, carve',
    ),
  ),

  'searches in other scripts and spellings': get(
    ...search(
      '',
      'データ, 分析, データ分析, 縦書き, 数据, 문서, 한국어, 🦀, cafe, CAFÉ, ｃａｆé, strasse, Straße, ubersetzung',
    ),
    ...search('', 'langchain, chain, LangChainTools, c++, c#'),
  ),

  'searches without matches, or with some of the words': get(
    ...search('', 'zzzzzz, zzzzzz qqqqqq, ---, kumquat zzzzzz, rhubarb kumquat zzzzzz, pdf zzzzzz, data pdf zzzzzz'),
    ...search('&sort=stars', 'kumquat rhubarb, pdf tabel, kumquat zzzzzz'),
  ),

  'searches with filters': get(
    ...search('&owner=acme', 'kumquat'),
    ...search('&license=MIT', 'pdf, kumquat'),
    ...search('&topic=pdf&minStars=100', 'table'),
    ...search('&language=python&archived=false', 'data'),
    ...search('&updatedSince=2025-09-01', 'pdf table'),
    ...search('&owner=nobody', 'pdf'),
  ),

  'searches for one skill of each repository': get(
    ...search('&distinct=repository', 'kumquat, peel, orchard, pdf table'),
    ...search('&distinct=repository&sort=stars', 'orchard, data'),
    ...search('&distinct=repository&license=MIT&facets=license', 'kumquat, pdf'),
    ...search('&distinct=topic', 'kumquat'),
  ),

  'searches in every order': get(
    ...['updated', 'stars', 'created', 'name'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => search(`&sort=${sort}&order=${order}`, 'data, kumquat')),
    ),
    ...search('&sort=stars', 'kumquat peeler'),
  ),

  'facets and highlights': get(
    ...search(allFacets, 'pdf, kumquat, data analysis, kumqaut, zzzzzz, kumquat rhubarb zzzzzz'),
    ...search(`${allFacets}&license=MIT&sort=stars`, 'data'),
    ...search('&highlight=true', 'kumquat, kumqaut, pdf tab, kum quat, database, "kumquat peeler", データ分析'),
    ...search('&highlight=true', 'cafe strasse, lang, acme/html'),
    ...search('&highlight=true&fields=id,name,topics', 'kumquat'),
  ),

  'searches paged to the end': walk(
    ...search('&limit=100', 'data, pdf, create simple, -rhubarb'),
    ...search('&limit=20', 'pdf'),
    ...search('&limit=3', 'kumquat'),
    ...search('&limit=100&sort=name', 'p, pdf, -rhubarb'),
  ),
}

/** Texts with one obvious answer. */
export const obviousAnswers = Object.entries({
  'acme/kumquat': 'acme/kumquat',
  'PDF Table Lifter': 'quillmoor/pdf-table-lifter',
  'how do I extract tables from a scanned pdf': 'quillmoor/pdf-table-lifter',
  'pdf table extractor': 'quillmoor/pdf-table-lifter',
  'Bank Statment Sorter': 'ledgerfinch/bank-statement-sorter',
  'sort my bank statements': 'ledgerfinch/bank-statement-sorter',
  'flash cards': 'kestrel-classroom/flashcard-forge',
  'tagged pdf repair': 'access-lantern/pdf-tag-repair',
  'langchain tools': 'acme/langchaintools',
  'kumquat database': 'acme/compound',
  'new name': 'acme/new-name',
  'cafe strasse': 'acme/strasse',
  データ分析: 'acme/bunseki',
  数据分析的工具: 'acme/shuju',
  '한국어 문서': 'acme/jaryo',
  '🦀': 'acme/jaryo',
})
