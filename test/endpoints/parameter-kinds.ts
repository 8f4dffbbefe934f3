/** An invalid value as written in a URL, with its message. */
export type Refusal = [value: string, message: string]

/** Not empty, so that a table cannot pass without a test. */
export type AtLeastOne<T> = [T, ...T[]]

/** A parameter: its valid values, and the messages for invalid ones. */
export interface ParameterCases {
  valid: AtLeastOne<string>
  /** The message when it is missing; absent: it is optional. */
  required?: string
  /** Set where it may be repeated. */
  repeatable?: true
  /** Set where an empty value is an absent one. */
  formField?: true
  wrong: AtLeastOne<Refusal>
  oversized: AtLeastOne<Refusal>
}

/** Values with the same message. */
export const each = (values: string[], message: string): Refusal[] => values.map((value) => [value, message])

/** Percent-encodes non-ASCII characters; encoded ones stay. */
const encodeWide = (value: string): string => value.replace(/[^\0-\x7f]/g, encodeURIComponent)

const notNumbers = ['-1', '1.5', '1e1', '%2B5', '+5', '%205', '5%20', '007', 'ten', '0x10', '5%00', '１'].map(
  encodeWide,
)

/** A whole number between two bounds. */
export function wholeNumber(minimum: number, maximum: number): ParameterCases {
  const message = `must be a whole number from ${minimum} to ${maximum}.`
  const [first = '', ...others] = notNumbers
  return {
    valid: [String(minimum), String(maximum)],
    wrong: [[first, message], ...each(minimum > 0 ? ['0', ...others] : others, message)],
    oversized: [
      [String(BigInt(maximum) + 1n), message],
      ['9'.repeat(400), message],
    ],
  }
}

/** One of some words. */
export function oneOf(words: AtLeastOne<string>, required?: string): ParameterCases {
  const message = `must be one of ${words.join(', ')}.`
  return {
    valid: words,
    ...(required === undefined ? {} : { required }),
    wrong: [[words[0].toUpperCase(), message], ...each(['nothing', '%00', '..%2Fskills', `${words[0]},`], message)],
    oversized: [['x'.repeat(5_000), message]],
  }
}

/** A comma list of these words. */
export function commaList(words: readonly string[]): ParameterCases {
  const message = (odd: string) =>
    `must be a comma list of ${words.join(', ')}; ${JSON.stringify(odd)} is none of them.`
  const [first = '', second = ''] = words
  return {
    valid: [first, `${second},${first}`, `${first},${first}`, words.join(',')],
    repeatable: true,
    wrong: [
      ['nothing', message('nothing')],
      [`${first},`, message('')],
      [',', message('')],
      [`${first},%20${second}`, message(` ${second}`)],
      [`${first};${second}`, message(`${first};${second}`)],
      [first.toUpperCase(), message(first.toUpperCase())],
      ['%00', message('\u0000')],
      ...['__proto__', 'constructor', 'formerIds', 'state'].map((word): Refusal => [word, message(word)]),
    ],
    oversized: [[`${`${first},`.repeat(1_000)}${'x'.repeat(200)}`, message('x'.repeat(100))]],
  }
}

/** A line of plain text. */
export function line(maxLength: number, ...valid: AtLeastOne<string>): ParameterCases {
  const message = `must be 1 to ${maxLength} characters of plain text.`
  return {
    valid: [...valid, 'a'.repeat(maxLength)],
    wrong: [['%20', message], ...each(['a%00b', 'a%0Ab', '%7F', '%1B'], message)],
    oversized: [['a'.repeat(maxLength + 1), message]],
  }
}

const yesNoMessage = 'must be true or false.'
/** True or false. */
export const yesNo: ParameterCases = {
  valid: ['true', 'false'],
  wrong: [['1', yesNoMessage], ...each(['yes', 'TRUE', 'null', '%00'], yesNoMessage)],
  oversized: [['true'.repeat(1_000), yesNoMessage]],
}

/** The query of a path. */
export interface QueryCases {
  /** The parameters without which a request is refused. */
  least: Record<string, string>
  parameters: Record<string, ParameterCases>
  /** Parameters that are valid together, as whole queries. */
  together?: string[]
  /** Parameters that are valid alone and invalid together, with the name and message of the error. */
  apart?: [query: string, parameter: string, message: string][]
}
