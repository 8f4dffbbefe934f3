/** A value as it is written in an address, and what is said of it. */
export type Refusal = [value: string, message: string]

/** Not empty: a table with nothing to try would hold nothing. */
export type AtLeastOne<T> = [T, ...T[]]

/** A parameter: what it takes, and what it answers to everything else. */
export interface ParameterCases {
  valid: AtLeastOne<string>
  /** What is said where it is missing; absent: it need not be given. */
  required?: string
  /** Set where it may be given several times. */
  repeatable?: true
  wrong: AtLeastOne<Refusal>
  oversized: AtLeastOne<Refusal>
}

/** Values of which the same is said. */
export const each = (values: string[], message: string): Refusal[] => values.map((value) => [value, message])

/** Characters beyond ASCII percent-encoded; what is encoded already stays. */
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

/** Some of these words, separated by commas. */
export function commaList(words: string[]): ParameterCases {
  const message = `must be a comma list of ${words.join(', ')}.`
  const [first = '', second = ''] = words
  return {
    valid: [first, `${second},${first}`, `${first},${first}`, words.join(',')],
    wrong: [
      ['nothing', message],
      ...each([`${first},`, ',', `${first},%20${second}`, `${first};${second}`, first.toUpperCase(), '%00'], message),
    ],
    oversized: [[`${`${first},`.repeat(1_000)}x`, message]],
  }
}

/** A line of plain text. */
export function line(longest: number, ...valid: AtLeastOne<string>): ParameterCases {
  const message = `must be 1 to ${longest} characters of plain text.`
  return {
    valid: [...valid, 'a'.repeat(longest)],
    wrong: [['%20', message], ...each(['a%00b', 'a%0Ab', '%7F', '%1B'], message)],
    oversized: [['a'.repeat(longest + 1), message]],
  }
}

const yesNoMessage = 'must be true or false.'
/** True or false. */
export const yesNo: ParameterCases = {
  valid: ['true', 'false'],
  wrong: [['1', yesNoMessage], ...each(['yes', 'TRUE', 'null', '%00'], yesNoMessage)],
  oversized: [['true'.repeat(1_000), yesNoMessage]],
}
