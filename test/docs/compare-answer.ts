/** Members of JSON that are the same at each run on the sample. */
const samples = new Set(['id', 'total', 'totalPages', 'score', 'value', 'count'])

/** Stands in a documented answer for what it leaves out. */
const omitted = '…'

/**
 * Compares what a document prints with what a command answers: keys and types of JSON, and which records and how many
 * (`id`, `total`, `score`, the counts of facets); lines of text and headers of HTTP without their numbers.
 *
 * @param language of the block in the document: `json`, `http` or `text`
 * @returns one line for each difference
 */
export function compareAnswer(language: string, documented: string, actual: string): string[] {
  switch (language) {
    case 'json':
      return compareJson(JSON.parse(documented), parsed(actual), '$')
    case 'http':
      return compareHeaders(documented, actual)
    case 'text':
      return compareLines(documented, actual)
    default:
      return [`an answer is json, http or text, not ${JSON.stringify(language)}`]
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
}

/**
 * An object has the documented keys, or more where one of them is `…`. An array of texts or numbers may have another
 * length; one of objects has the documented elements, or more where the last is a text that begins with `…`.
 */
function compareJson(documented: unknown, actual: unknown, at: string): string[] {
  if (typeName(documented) !== typeName(actual)) {
    return [`${at}: documented as ${typeName(documented)}, is ${typeName(actual)}: ${JSON.stringify(actual)}`]
  }
  if (Array.isArray(documented) && Array.isArray(actual)) {
    return compareArrays(documented, actual, at)
  }
  return isObject(documented) && isObject(actual) ? compareObjects(documented, actual, at) : []
}

function compareArrays(documented: unknown[], actual: unknown[], at: string): string[] {
  const last = documented.at(-1)
  const isCut = typeof last === 'string' && last.startsWith(omitted)
  const elements = isCut ? documented.slice(0, -1) : documented
  if (elements.length > 0 && !elements.some(isObject)) {
    return actual.flatMap((element, index) => compareJson(elements[0], element, `${at}[${index}]`))
  }
  if (isCut ? actual.length < elements.length : actual.length !== elements.length) {
    return [`${at}: documented with ${elements.length} elements, has ${actual.length}`]
  }
  return elements.flatMap((element, index) => compareJson(element, actual[index], `${at}[${index}]`))
}

function compareObjects(documented: Record<string, unknown>, actual: Record<string, unknown>, at: string): string[] {
  const names = Object.keys(documented).filter((name) => name !== omitted)
  const undocumented = Object.keys(actual).filter((name) => !Object.hasOwn(documented, name))
  return [
    ...(Object.hasOwn(documented, omitted) ? [] : undocumented.map((name) => `${at}.${name}: is not documented`)),
    ...names.flatMap((name) =>
      Object.hasOwn(actual, name)
        ? compareMember(name, documented[name], actual[name], `${at}.${name}`)
        : [`${at}.${name}: is documented, but is not in the answer`],
    ),
  ]
}

function compareMember(name: string, documented: unknown, actual: unknown, at: string): string[] {
  const differs = samples.has(name) && !isObject(documented) && documented !== actual
  return differs
    ? [`${at}: documented as ${JSON.stringify(documented)}, is ${JSON.stringify(actual)}`]
    : compareJson(documented, actual, at)
}

/** Every documented line is among the lines of the answer. */
function compareHeaders(documented: string, actual: string): string[] {
  const lines = new Set(actual.split(/\r?\n/).map(withoutValues))
  return documented
    .split('\n')
    .filter((line) => !lines.has(withoutValues(line)))
    .map((line) => `not in the answer: ${line}\n${actual}`)
}

/** The lines are the same, in order; a documented line `…` stands for any number of them. */
function compareLines(documented: string, actual: string): string[] {
  const pattern = documented
    .split('\n')
    .map((line) => (line === omitted ? '(?:.*\\n)*?' : `${escaped(withoutValues(line))}\\n`))
    .join('')
  const text = `${actual.trimEnd().split('\n').map(withoutValues).join('\n')}\n`
  return new RegExp(`^${pattern}$`).test(text) ? [] : [`documented:\n${documented}\nis:\n${actual}`]
}

/** A line with times, digests, long identifiers, numbers, sizes and spaces as placeholders, and without a speed: a slow machine prints none. */
const withoutValues = (line: string): string =>
  line
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '0')
    .replace(/:[\w+/]{43}=:/g, ':0:')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '0')
    .replace(/, [\d,]+ a second(?=\))/, '')
    .replace(/[\w-]{40,}/g, '0')
    .replace(/\d+(?:[.,]\d+)*(?: [kMG]?B\b)?/g, '0')
    .replace(/\s+/g, ' ')
    .trim()

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeName = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
