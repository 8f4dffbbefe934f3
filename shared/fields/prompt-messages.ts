import { memberOf, unwrap } from '../records/field-names.js'

/**
 * The text of a prompt that is a list of messages, as models of chats take them, or an object with one: `{"messages": [{"role":
 * "system", "content": "Be a poet."}]}`. Each of several begins with its role.
 *
 * @returns any other value as it is
 */
export function textOfMessages(value: unknown): unknown {
  const list = unwrap(value, ['messages', 'content'])
  const messages = Array.isArray(list) ? list.map(messageIn) : []
  const texts = messages.flatMap(({ role, text }) => (text === '' ? [] : [{ role, text }]))
  const [first, ...others] = texts
  const areMessages = messages.some(({ role }) => role !== '') || (list !== value && first !== undefined)
  return !areMessages || first === undefined
    ? value
    : others.length === 0
      ? first.text
      : texts.map(({ role, text }) => (role === '' ? text : `${role}: ${text}`)).join('\n\n')
}

/** A message, or a part of one. What is no text, such as a picture, has none. */
function messageIn(message: unknown): { role: string; text: string } {
  if (message === null || typeof message !== 'object') {
    return { role: '', text: typeof message === 'string' ? message : '' }
  }
  const role = memberOf(message, ['role'])
  const content = memberOf(message, ['content', 'text'])
  const text = Array.isArray(content) ? content.map((part) => messageIn(part).text).join('') : content
  return { role: typeof role === 'string' ? role : '', text: typeof text === 'string' ? text.trim() : '' }
}
