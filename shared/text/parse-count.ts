/** Thousands, as a page shows them. */
const multiples: Record<string, number> = { k: 1_000, m: 1_000_000 }

/** What pages write around the number of stars. */
const aroundCount = /^[★☆⭐]\ufe0f?\s*|\s*(?:[★☆⭐]\ufe0f?|stars?)$|(?<=[\dkm])\+$/giu

/** The number in a text, however programs and pages write it; null for none. */
export function countIn(text: string): number | null {
  const plain = text.trim().slice(0, 100).normalize('NFKC').replace(aroundCount, '')
  const [, given = '', multiple = ''] =
    /^\+?(\d[\d.,_' \u00a0\u202f]*(?:e\+?\d{1,2})?)(?<! ) ?([km]?)$/i.exec(plain) ?? []
  // A comma before other than three digits is a decimal one, as in 1,2k and 12,0.
  const digits = given.replace(multiple === '' ? /^(\d+),(?=0{1,2}$)/ : /^(\d+),(?=\d{1,2}$)/, '$1.')
  // Groups of three digits, with one sign between all of them.
  const grouped = /^\d{1,3}([,_' \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.0*)?$|^\d{1,3}(\.)\d{3}(?:\.\d{3})+$/.exec(digits)
  const separator = grouped?.[1] ?? grouped?.[2]
  const number = separator === undefined ? digits : digits.split(separator).join('')
  if (!/^\d+(?:\.\d*)?(?:e\+?\d+)?$/i.test(number)) {
    return null
  }
  // Rounded as far as decimal fractions are inexact: 1.001k is 1001.
  const count = Number(number) * (multiples[multiple.toLowerCase()] ?? 1)
  return multiple === '' ? count : Math.round(count)
}
