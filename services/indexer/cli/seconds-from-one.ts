import { InvalidArgumentError } from 'commander'

/** Parses an option that is a number of seconds, 1 or more. @throws InvalidArgumentError */
export function secondsFromOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of seconds, 1 or more.')
  }
  return Number(text)
}
