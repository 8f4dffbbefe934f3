import { z } from 'zod'

const wholeNumber = z.string().regex(/^\d+$/)

/** Every header by which the API says something, with its form and meaning. Browsers may read all of them. */
export const responseHeaders = {
  'X-Request-Id': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("The request's name in our log: the one that the client gave it, if it was a plain one."),
  'RateLimit-Policy': z
    .string()
    .describe('The quotas that the request consumed, for instance `"default";q=100;w=60, "export";q=10;w=60`.'),
  RateLimit: z
    .string()
    .regex(/^"[a-z]+";r=\d+;t=\d+$/)
    .describe('The tighter quota: `r` requests are left, `t` seconds until it is whole again or lets the next one in.'),
  'X-RateLimit-Limit': wholeNumber.describe('The tighter quota: requests a minute.'),
  'X-RateLimit-Remaining': wholeNumber.describe('The tighter quota: how many of them are left.'),
  'X-RateLimit-Reset': wholeNumber.describe('The tighter quota: when it is whole again, in seconds since 1970.'),
  'Retry-After': z
    .string()
    .regex(/^[1-9]\d*$/)
    .describe('After how many seconds a request will be let in, or is worth trying, again.'),
  'Cache-Control': z.string().describe('For how long the answer may be kept by others.'),
  ETag: z
    .string()
    .regex(/^"[^"]+"$/)
    .describe('Strong entity tag of these bytes, for If-None-Match and If-Range.'),
  Vary: z.string().describe('The request headers that the answer depends on.'),
  Link: z
    .string()
    .describe(
      '`rel="license"`: the terms of use; `rel="next"`: the next page; `rel="canonical"`: the versioned address.',
    ),
  Age: wholeNumber.describe('How many seconds ago the figures were fetched.'),
  Location: z.string().describe('Where it is now.'),
  Allow: z.string().describe('The methods that are possible.'),
  'Accept-Ranges': z.literal('bytes').describe('Parts of the file can be asked for with Range.'),
  'Content-Range': z.string().describe('Which bytes these are, of how many.'),
  'Content-Disposition': z.string().describe('The name under which to keep the file.'),
  'Content-Location': z.string().describe('The address at which just these bytes stay.'),
  'Last-Modified': z.string().describe('When it was written.'),
  'Repr-Digest': z
    .string()
    .regex(/^sha-256=:[A-Za-z0-9+/]{43}=:$/)
    .describe('SHA-256 of the whole file as it is encoded (RFC 9530).'),
  'X-Total-Count': wholeNumber.describe('How many records there are.'),
  'X-Export-Count': wholeNumber.describe('How many of them are in the file.'),
  'X-Export-Truncated': z.enum(['true', 'false']).describe('Whether records were left out.'),
} satisfies Record<string, z.ZodType>

/** The name of a header that the documentation tells of. */
export type ResponseHeader = keyof typeof responseHeaders
