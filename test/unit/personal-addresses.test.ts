import { describe, expect, test } from '@jest/globals'
import { holdsAddress, removeAddresses, withoutCredentials } from '../../shared/privacy/personal-addresses.js'

describe('an address is removed', () => {
  test.each([
    ['Write to Jane@Mail.Example.', 'Write to (address removed).'],
    [
      'a@b.org,c@d.org;e@f.org g@h.org',
      ['(address removed),(address removed)', '(address removed) (address removed)'].join(';'),
    ],
    ['<jane@mail.example>', '<(address removed)>'],
    ["'o'brien@mail.example'", "'(address removed)'"],
    ['mailto:jane@mail.example?subject=x', 'mailto:(address removed)?subject=x'],
    ['"x y"@host.org', '(address removed)'],
    ['x@[127.0.0.1] and x@[IPv6:2001:db8::1]', '(address removed) and (address removed)'],
    ['иван@пример.рф', '(address removed)'],
    ['a@b@c.org', 'a@(address removed)'],
    ['jane@mail.example/path', '(address removed)/path'],
  ])('%s', (text, expected) => {
    expect(removeAddresses(text)).toBe(expected)
  })

  test.each([
    'jane＠mail.example',
    'jane﹫mail.example',
    'jane%40mail.example',
    'jane&#64;mail.example',
    'jane&#064;mail&#46;example',
    'jane&#x40;mail.example',
    'jane&commat;mail&period;example',
    'jane@mail．example',
    'jane@mail。example',
    'jane@mail｡example',
    'jane@\u200bmail.example',
    'ja\u200bne\u00ad@mail\u00ad.\u2060example',
    'jane [at] mail.example',
    'jane (AT) mail (dot) example',
    'jane{at}mail[dot]example',
    'jane(a\u200bt)mail.example',
    'ｊａｎｅ＠ｍａｉｌ．ｅｘａｍｐｌｅ',
    '𝗷𝗮𝗻𝗲@mail.example',
    'jane@xn--mail-cua.xn--p1ai',
    'jane@\ufeffmail.example',
    '"jane@x"@mail.example',
    '“jane”@mail.example',
    'jane@@mail.example',
    String.raw`jane\@mail.example`,
    String.raw`jane_doe\@\@mail\.example`,
    'jane&#8203;@&ZeroWidthSpace;mail&#xAD;.example',
    'jane&amp;#64;mail&amp;period;example',
    'jane&amp;amp;commat;mail.example',
    'jane%2540mail%252Eexample',
    '&#106;&#97;ne&#x40;m&#97;il.ex&#97;mpl&#101;',
    'jane(dot)doe@mail.example',
  ])('in disguise: %s', (text) => {
    expect(removeAddresses(`By ${text}!`)).toBe('By (address removed)!')
  })

  test.each([
    ['请联系我们的邮箱jane@mail.example谢谢', '请联系我们的邮箱(address removed)谢谢'],
    ['邮箱:jane@mail.example。你好', '邮箱:(address removed)。你好'],
    ['用户@例子.公司', '(address removed)'],
    ['这是一个很长的句子没有任何空格用户@例子.公司。你好', '这是一个很长的句子没有任何(address removed)。你好'],
  ])('from a text without spaces, and no sentence with it: %s', (text, expected) => {
    expect(removeAddresses(text)).toBe(expected)
  })
})

test.each([
  'git clone git@github.com:owner/repo',
  'npm install @scope/package name@1.2.3 name@latest name@2.0.0-rc.next',
  'uses: actions/checkout@v4.1.1',
  'user@localhost, root@10.0.0.1',
  '@app.route("/x")',
  '{"domain": "@acme.org", "next": ""@acme.org"}',
  'icon@2x.png and getty@tty1.service',
  'look [at] foo() (at least)',
  'https://medium.example/@jane.doe/post',
  'x @ y, 5 % 40, &#640;',
  'jane@mail',
  'jane @ mail.example, jane at mail dot example, jane@127.0.0.1',
  'jane@<b>mail.example, @@ -1,2 +1,2 @@ a.b, &amp; &#64; &lt;a.b',
])('text without an address stays: %s', (text) => {
  expect(removeAddresses(text)).toBe(text)
  expect(holdsAddress(text)).toBe(false)
})

test('with any number of invisible characters after the sign', () => {
  expect(removeAddresses(`jane@${'\u200b'.repeat(1_000)}mail.example`)).toBe('(address removed)')
})

describe('credentials are removed from an address in a text', () => {
  test.each([
    ['https://user:s3cret@host.example/x', 'https://host.example/x'],
    ['https:///user:s3cret@10.0.0.5/x/y', 'https:///10.0.0.5/x/y'],
    [String.raw`https:\\user:s3cret@10.0.0.5/x`, String.raw`https:\\10.0.0.5/x`],
    ['https:user:s3cret@localhost', 'https:localhost'],
    ['//user:s3cret@localhost/x', '//localhost/x'],
    ['git+ssh://user:s3cret@host/x.git', 'git+ssh://host/x.git'],
    ['postgres://app:p@ss:s3cret@localhost:5432/db', 'postgres://localhost:5432/db'],
    ['redis://:s3cret@localhost', 'redis://localhost'],
    ['https://us%65r%3As3cret@localhost/', 'https://localhost/'],
    ['https://user:s3cret%40localhost/', 'https://localhost/'],
    ['https://user:s3cret&#64;localhost/', 'https://localhost/'],
    ['https://user:s3cret&#38;#64;localhost/', 'https://localhost/'],
    ['https://user:s3cret＠localhost/', 'https://localhost/'],
    ['ｈｔｔｐｓ：／／user：s3cret＠localhost', 'ｈｔｔｐｓ：／／localhost'],
    [String.raw`https://host\@user:s3cret@localhost`, 'https://localhost'],
    ['https://s3cret@github.com/acme/pdf', 'https://github.com/acme/pdf'],
    ['git+https://s3cret@localhost', 'git+https://localhost'],
    ['https://proxy.example/https://user:s3cret@localhost/', 'https://proxy.example/https://localhost/'],
    ['https://host.example/x?access_token=s3cret&page=2', 'https://host.example/x?access_token=&page=2'],
    ['https://host.example/?page=2&amp;api_key=s3cret', 'https://host.example/?page=2&amp;api_key='],
    ['https://host.example/?%74oken=s3cret#id_token=s3cret', 'https://host.example/?%74oken=#id_token='],
    [
      'https://host.example/f?X-Amz-Date=1&X-Amz-Security-Token=s3cret&X-Amz-Signature=s3cret',
      'https://host.example/f?X-Amz-Date=1&X-Amz-Security-Token=&X-Amz-Signature=',
    ],
  ])('%s', (address, expected) => {
    expect(removeAddresses(`See [this](${address}), please.`)).toBe(`See [this](${expected}), please.`)
    expect(holdsAddress(address)).toBe(true)
    expect(holdsAddress(expected)).toBe(false)
  })

  test.each([
    'git clone git@github.com:owner/repo and ssh://git@github.com/owner/repo, https://git@github.com/owner/repo',
    'ssh://deploy@localhost/srv',
    'https://medium.example/@jane, https://esm.example/left-pad@1.2.3?bundle',
    'see https://a.example,@bob or //TODO @bob',
    'docker://alpine:3@sha256:0123 and docker://alpine@sha256:0123',
    'https://a.example:8080/x?max_tokens=5&sort=stars&keyword=token',
  ])('and stays as it is without: %s', (text) => {
    expect(removeAddresses(text)).toBe(text)
  })
})

describe('keys and tokens are removed from a text', () => {
  const some = 'aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5'
  const pem = (text: string) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`

  test.each([
    `ghp_${some}`,
    `github_pat_${some}_${some}`,
    `glpat-${some.slice(0, 20)}`,
    `xoxb-${some}`,
    `sk-ant-api03-${some}-${some}`,
    `sk-proj-${some}${some}`,
    `sk_live_${some.slice(0, 24)}`,
    `AIza${some.slice(0, 35)}`,
    `npm_${some}`,
    `hf_${some.slice(0, 34)}`,
    pem(`${some}\n`.repeat(10)),
  ])('%s', (key) => {
    expect(removeAddresses(`Set TOKEN="${key}", please.`)).toBe('Set TOKEN="(credential removed)", please.')
    expect(holdsAddress(key)).toBe(true)
  })

  test('and an address with one is none', () => {
    expect(withoutCredentials(`https://host.example/ghp_${some}/x`)).toBeNull()
  })

  test('and stand for the value of a parameter no more than others', () => {
    expect(removeAddresses(`https://host.example/?token=ghp_${some}`)).toBe('https://host.example/?token=')
  })

  test.each([
    `ghp_${'x'.repeat(36)}`,
    'sk-ant-api03-… and sk-…',
    'AKIAIOSFODNN7EXAMPLE',
    `task-proj-${some}${some}`,
    pem('MIIEow…'),
    `sha256:${some}`,
  ])('and stays as it is without: %s', (text) => {
    expect(removeAddresses(text)).toBe(text)
  })
})

const longAddress = `${'j'.repeat(60)}@mail.example`

test.each([
  ['as without an address', 'one two three', 8, 'one two…'],
  ['not within an address', `${'x '.repeat(10)}jane@mail.example and more`, 30, `${'x '.repeat(10)}(address…`],
  [
    'with an ellipsis where the removed address was longer than its replacement',
    `${longAddress} ${longAddress} end`,
    100,
    '(address removed) (address removed)…',
  ],
  ['where it was shorter', 'a@b.co '.repeat(10).trim(), 70, `${'(address removed) '.repeat(3)}(address remove…`],
])('a text is shortened %s', (_, text, maximum, short) => {
  expect(removeAddresses(text, maximum)).toBe(short)
})
