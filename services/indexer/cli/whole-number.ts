import { InvalidArgumentError } from 'commander'

/** Parses an option that is a whole number, 0 or more. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number, 0 or more.')
  }
  return Number(text)
}
