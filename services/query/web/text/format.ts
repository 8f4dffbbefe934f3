import type { ProblemCode } from '../../request/problem-codes.js'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * `29 Sep 2025`: the same in every time zone and browser, so that server and browser render the same text.
 *
 * @param time ISO-8601, in UTC
 */
export function formatDay(time: string): string {
  const [year, month, day] = time.slice(0, 10).split('-')
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`
}

const shortForm = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** `18.4K` */
export const formatShort = (value: number): string => shortForm.format(value)

/** `41 seconds`, `2 minutes` */
export function formatWait(seconds: number): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${value} ${unit}${value === 1 ? '' : 's'}`
}

/** An error in the words of a reader of pages: what happened, and what to do. */
export interface Explanation {
  title: string
  text: string
}

const cannotAnswer = 'The catalog cannot answer at the moment'
const tooBusy = 'A part of it is not available. The rest of the site may still work.'
const nothingHere = 'There is nothing at this address'
const unreadable = 'This address cannot be read'
const checkIt = 'Check it, or search for the skill by its name.'

const unexpected: Explanation = {
  title: 'Something went wrong',
  text: 'The fault is ours. Load the page again; if it fails again, report it to the operator.',
}

/** What pages say about each error that they can get; the others are those of programs only. `{name}`: the requested thing. */
const explanations: { readonly [code in ProblemCode]?: Explanation } = {
  moved: { title: 'This page has moved', text: 'It is at another address now.' },
  malformed_url: { title: unreadable, text: `It has characters that do not belong into one. ${checkIt}` },
  url_too_long: { title: 'This address is too long', text: 'Search with fewer words, or choose fewer filters.' },
  skill_unknown: {
    title: 'There is no skill of this name',
    text: '“{name}” may be misspelt, or not in this catalog yet.',
  },
  skill_removed: {
    title: 'This skill was removed',
    text: '“{name}” has been withdrawn and is not a part of this catalog any more. Others may do the same.',
  },
  organization_unknown: {
    title: 'There is no organization of this name',
    text: '“{name}” has no skills in this catalog, or is misspelt.',
  },
  topic_unknown: { title: 'There is no topic of this name', text: 'No skill of this catalog is about “{name}”.' },
  unknown_path: { title: nothingHere, text: checkIt },
  sitemap_unknown: { title: nothingHere, text: checkIt },
  method_not_allowed: { title: 'This page can only be read', text: 'Nothing was sent. Go to the first page.' },
  body_too_large: { title: 'This page can only be read', text: 'Nothing was sent. Go to the first page.' },
  request_timeout: { title: 'The connection was too slow', text: 'Load the page again.' },
  rate_limited: {
    title: 'You have used up your requests of this minute',
    text:
      'So that the catalog stays quick for everyone, each connection may open a number of pages in a minute, which all ' +
      'of its devices share.',
  },
  query_timeout: {
    title: 'This takes too long to find',
    text: 'It has to compare very many skills. Use fewer filters, other words or another order.',
  },
  search_unavailable: {
    title: cannotAnswer,
    text: 'The search is not available. Skills, organizations and topics can still be opened.',
  },
  stats_not_ready: {
    title: 'The statistics are being computed',
    text: 'That happens for the first time, and takes a moment.',
  },
  overloaded: { title: cannotAnswer, text: 'It is visited more than it can bear.' },
}

/** About all other errors. */
const byStatus: Record<number, Explanation> = {
  0: {
    title: 'The catalog cannot be reached',
    text: 'Check your connection. The results appear as soon as the catalog answers.',
  },
  400: { title: unreadable, text: checkIt },
  404: { title: nothingHere, text: checkIt },
  503: { title: cannotAnswer, text: tooBusy },
}

/** What is wrong with a value in the address of a page, by its parameter. */
const badValues: Record<string, string> = {
  q: 'The words to search for are too long, or cannot be read.',
  page: 'There is no page of this number.',
  sort: 'There is no such order.',
  topic: 'A topic cannot have this name, or there are too many topics at once.',
  owner: 'An organization cannot have this name.',
  repo: 'A skill cannot have this name.',
  license: 'A licence cannot have this name.',
  language: 'A language cannot have this name.',
}

/**
 * Explains an error to people; the API has its own words for programs.
 *
 * @param options.refused the parameters of the address whose values were refused
 * @param options.name the requested thing
 */
export function explainProblem(
  status: number,
  code: string,
  { refused = [], name = '' }: { refused?: string[]; name?: string } = {},
): Explanation {
  const texts = new Set(refused.map((parameter) => badValues[parameter] ?? 'A part of it has no meaning here.'))
  const { title, text } = new Map(Object.entries(explanations)).get(code) ?? byStatus[status] ?? unexpected
  return { title, text: texts.size === 0 ? text.replace('{name}', () => name) : [...texts].join(' ') }
}
