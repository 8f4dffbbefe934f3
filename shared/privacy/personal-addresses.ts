import { unwrap } from '../records/field-names.js'
import { handlePattern, isWebAddress } from '../records/fields.js'
import {
  cleanLine,
  cut,
  limitMarks,
  mayHoldAddress,
  mayHoldCredentials,
  reference,
  shorten,
  writtenSign,
} from '../text/clean-text.js'
import { parseUrl } from '../text/parse-url.js'
import { splitList } from '../text/values-in-text.js'
import { findAddresses, maxEmailLength } from './find-addresses.js'

/**
 * The start of an address, as browsers and other programs read it: slashes of either kind, any number after a scheme of
 * the web, and the part up to the path, which may begin with a user name and a password.
 */
const authority = new RegExp(
  String.raw`((?:https?|wss?|ftps?)[:：][/\\／＼]*|[/\\／＼]{2,})((?:[^\s/\\／＼?#<>"]|\\(?=[:@])|(?<=${reference})#)*)`,
  'gi',
)

/** User name and password before the last sign of an authority, in every way to write the sign. */
const userPart = new RegExp(`^(.*)(?:${writtenSign};?)(?!sha\\d+:)`, 'is')

const passwordMark = /[:：]|%(?:25){0,3}3a/i

/** Before the slashes: a scheme in which a name alone is a credential. In others it is an account: `ssh://git@host`. */
const webScheme = /(?:^|[^a-z0-9.-])(?:https?|wss?|ftps?)[:：][/\\／＼]*$/i

const plainName = /^[^,;()[\]]+$/

/** Names of parameters whose value lets everyone in who has the address, as in that of a signed download. */
const secretName = new RegExp(
  [
    '^(?:.*[-_.])?(?:token|secret|signature|sig|credentials?|password|passwd|pwd|jwt)$',
    '(?:access|auth|id|refresh|private|session|oauth|bearer)token$',
    '(?:api|access|secret|private|auth|client|subscription)[-_.]?(?:key|secret|password)$',
  ].join('|'),
  'i',
)

const parameter = /([?&#;])([^\s=&#?;<>"]{1,60})=([^\s&#<>"'`)\]}]+)/g

/**
 * Keys and tokens in the forms of GitHub, GitLab, Slack, Anthropic, OpenAI, Stripe, Google, npm and Hugging Face, and private
 * keys. The id of a key, as of AWS, lets nobody in; one without a digit is an example.
 */
const keys = new RegExp(
  [
    ...['gh[pousr]_[A-Za-z0-9]{36,255}', 'github_pat_\\w{60,255}', 'glpat-[\\w-]{20,255}'],
    ...['xox[abeprs]-[\\w-]{20,255}', 'sk-(?:ant|proj|svcacct|admin)-[\\w-]{40,255}', 'AIza[\\w-]{35}'],
    ...['sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}', '[rs]k_live_[A-Za-z0-9]{20,255}'],
    ...['npm_[A-Za-z0-9]{36}', 'hf_[A-Za-z0-9]{34}'],
  ]
    .map((form) => `(?<![\\w-])${form}(?![\\w-])`)
    .concat('-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\\w+/=\\s\\\\]{200,16384}-----END [A-Z ]{0,20}PRIVATE KEY-----')
    .join('|'),
  'g',
)

const removedKey = '(credential removed)'

/**
 * Removes what lets a reader of a text in: keys and tokens, user name and password from addresses of any scheme, and the
 * values of parameters that are secrets, such as `access_token` and `X-Amz-Signature`. The account `git`, and an account
 * without a password outside of the web, are no secrets.
 */
export function removeCredentials(text: string): string {
  if (!mayHoldCredentials(text)) {
    return text
  }
  return text
    .replace(authority, (whole: string, start: string, rest: string, offset: number) => {
      const [before = '', user = ''] = userPart.exec(rest) ?? []
      const scheme = `${text.slice(Math.max(0, offset - 32), offset)}${start}`
      const isSecret = passwordMark.test(user) || (user !== '' && plainName.test(user) && webScheme.test(scheme))
      return isSecret && user !== 'git' ? `${start}${rest.slice(before.length)}` : whole
    })
    .replace(parameter, (whole: string, mark: string, name: string) =>
      secretName.test(decoded(name)) ? `${mark}${name}=` : whole,
    )
    .replace(keys, (key) => (/\d/.test(key) ? removedKey : key))
}

/** A part of an address without its escapes, if they are valid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Maximum characters of a name that may be a handle: a profile's URL. */
const maxNameLength = 200

const replacement = '(address removed)'

/**
 * The first handle in an author's name or list of names. An `@` other than at the start makes it an e-mail address,
 * which is skipped.
 */
export function findHandle(authors: unknown[]): string | null {
  for (const value of authors.flat()) {
    const names = unwrap(value, ['login', 'handle', 'username', 'name'])
    for (const name of typeof names === 'string' ? splitList(names) : []) {
      const candidate = toHandle(name.trim())
      if (candidate !== null) {
        return candidate
      }
    }
  }
  return null
}

function toHandle(name: string): string | null {
  if (name.length > maxNameLength) {
    return null
  }
  const candidate = cleanLine(limitMarks(name).normalize('NFKC'))
    ?.replace(/^https?:\/\/(?:www\.)?github\.com\//i, '')
    .replace(/^@/, '')
  return candidate !== undefined &&
    handlePattern.test(candidate) &&
    !/[,|;]|^[[{(]/.test(candidate) &&
    !mayHoldAddress(candidate) &&
    removeCredentials(candidate) === candidate
    ? candidate
    : null
}

/**
 * Removes e-mail addresses and credentials from a text. People sign their records with the first, and crawlers copy both;
 * a public catalog must not publish them.
 *
 * @param maxCharacters of the result; a longer text is shortened as by `shorten`, never within an address
 */
export function removeAddresses(given: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const text = removeCredentials(given)
  const isLong = text.length > maxCharacters
  // The result cannot include anything after this.
  const near = isLong ? text.slice(0, maxCharacters + maxEmailLength) : text
  if (!mayHoldAddress(near)) {
    return shorten(near, maxCharacters)
  }
  const parts: string[] = []
  let end = 0
  for (const address of findAddresses(near)) {
    if (address.start >= maxCharacters) {
      break
    }
    parts.push(near.slice(end, address.start), replacement)
    end = address.end
  }
  parts.push(near.slice(end, Math.max(end, maxCharacters)))
  const cleaned = parts.join('')
  return isLong || cleaned.length > maxCharacters ? cut(cleaned, maxCharacters) : cleaned
}

/** Whether a text has an e-mail address or credentials. */
export const holdsAddress = (text: string): boolean =>
  (mayHoldAddress(text) && !findAddresses(text).next().done) || removeCredentials(text) !== text

/**
 * A web URL as it may be published: without credentials.
 *
 * @returns null when it is no http or https URL (`mailto:` is none), or has an e-mail address
 */
export function toPublicAddress(text: unknown): string | null {
  const address = typeof text === 'string' && isWebAddress(text) ? withoutCredentials(text) : null
  return address === null || holdsAddress(address) ? null : address
}

/** An address that shows to people which part is its host. */
const shown = /^https?:\/\/[^/\\]/i

/**
 * A web URL without user name, password and secret parameters. It is rebuilt from its parts where a browser reads other
 * parts than the text shows: `https:///user:password@host`.
 *
 * @returns null when it is no URL, or none is left
 */
export function withoutCredentials(address: string): string | null {
  const text = removeCredentials(address)
  const url = parseUrl(text)
  if (url === null || text.includes(removedKey) || (text !== address && parseUrl(address) === null)) {
    return null
  }
  if (shown.test(address) && url.username === '' && url.password === '') {
    return text
  }
  url.username = ''
  url.password = ''
  return url.href
}
