import { unwrapped } from './field-values.js'

/** A text, or that of an object with it in several languages: in English, else in the first of them by its name. */
export function inLanguage(value: unknown): unknown {
  const text = Array.isArray(value) ? value : unwrapped(value, ['en', 'default', 'text'])
  if (text === null || typeof text !== 'object' || Array.isArray(text) || text instanceof Date) {
    return text
  }
  const texts = Object.entries(text).filter(([name, each]) => languageTag.test(name) && typeof each === 'string')
  const names = texts.length === Object.keys(text).length ? texts.map(([name]) => name).toSorted() : []
  const name = names.find((each) => /^en/i.test(each)) ?? names[0]
  return name === undefined ? text : Reflect.get(text, name)
}

/** The name of a language, perhaps as it is written in a country: `de`, `pt-BR`. */
const languageTag = /^[a-z]{2}(?:[-_][a-z0-9]{2,4})?$/i

/** A text that is a list of its lines, or an object with it in several languages. */
export const textIn = (value: unknown): unknown =>
  Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string')
    ? value.join('\n')
    : inLanguage(value)
