/**
 * The start of an address, as browsers and other programs read it: slashes of either kind, any number after a scheme of
 * the web, and the part up to the path, which may begin with a user name and a password.
 */
const authority =
  /((?:https?|wss?|ftps?)[:：][/\\／＼]*|[/\\／＼]{2,})((?:[^\s/\\／＼?#<>"]|\\(?=[:@])|(?<=&(?:amp;){0,3})#)*)/gi

/** User name and password before the last sign of an authority, in every way to write the sign. */
const userPart = /^(.*)(?:[@＠﹫]|%(?:25){0,3}40|&(?:amp;){0,3}(?:#0{0,8}64|#x0{0,8}40|commat);?)(?!sha\d+:)/is

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

const mayHoldSome = /[@＠﹫]|%(?:25){0,3}40|&(?:amp;){0,3}(?:#0{0,8}64|#x0{0,8}40|commat)|[?&#;][^\s=&#?;<>"]{1,60}=/i

/** Whether a text may have credentials. Cheap. */
export const mayHoldCredentials = (text: string): boolean => mayHoldSome.test(text)

/**
 * Removes what lets a reader of a text in: user name and password from addresses of any scheme, and the values of
 * parameters that are secrets, such as `access_token` and `X-Amz-Signature`. The account `git`, and an account without a
 * password outside of the web, are no secrets.
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
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
