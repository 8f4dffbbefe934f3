import { z } from 'zod'

const wholeNumber = z.string().regex(/^\d+$/)

/** Every header of the API, with its schema and description. Browsers may read all of them. */
export const responseHeaders = {
  'X-Request-Id': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("The id of the request in the server's log: the client's own, if it was well formed."),
  'RateLimit-Policy': z
    .string()
    .describe('The quotas that the request consumed, for instance `"default";q=100;w=60, "export";q=10;w=60`.'),
  RateLimit: z
    .string()
    .regex(/^"[a-z]+";r=\d+;t=\d+$/)
    .describe(
      'The tighter quota: `r` requests are left, `t` seconds until it is full again or admits the next request.',
    ),
  'X-RateLimit-Limit': wholeNumber.describe('The tighter quota: requests per minute.'),
  'X-RateLimit-Remaining': wholeNumber.describe('The tighter quota: requests left.'),
  'X-RateLimit-Reset': wholeNumber.describe('The tighter quota: when it is full again, in seconds since 1970.'),
  'Retry-After': z
    .string()
    .regex(/^[1-9]\d*$/)
    .describe('Seconds until a request will be admitted, or should be tried, again.'),
  'Cache-Control': z.string().describe('How long caches may keep the response.'),
  ETag: z
    .string()
    .regex(/^(W\/)?"[^"]+"$/)
    .describe(
      'Entity tag, for If-None-Match: strong, so that it names these bytes, and is good for If-Range. That of a search ' +
        'is weak (W/): tookMs may differ between responses that have it.',
    ),
  Vary: z.string().describe('The request headers that the response depends on.'),
  Link: z
    .string()
    .describe(
      '`rel="license"`: the terms of use; `rel="next"`: the next page; `rel="canonical"`: the versioned URL. All are absolute.',
    ),
  Age: wholeNumber.describe('Seconds since the statistics were fetched.'),
  'Server-Timing': z
    .string()
    .regex(/^search;dur=\d+(\.\d)?$/)
    .describe('The duration of the search, milliseconds.'),
  Location: z.string().describe('The new URL.'),
  Allow: z.string().describe('The allowed methods.'),
  'Accept-Ranges': z.literal('bytes').describe('Parts of the file can be requested with Range.'),
  'Content-Range': z.string().describe('The range of bytes in the body, and the size of the file.'),
  'Content-Disposition': z.string().describe('The name for the saved file.'),
  'Content-Location': z.string().describe('The URL whose bytes never change.'),
  'Last-Modified': z.string().describe('When the file was written.'),
  'Repr-Digest': z
    .string()
    .regex(/^sha-256=:[A-Za-z0-9+/]{43}=:$/)
    .describe('SHA-256 of the whole file as it is encoded (RFC 9530).'),
  'X-Total-Count': wholeNumber.describe('Records in the catalog.'),
  'X-Export-Count': wholeNumber.describe('Records in the file.'),
  'X-Export-Truncated': z.enum(['true', 'false']).describe('Whether records were omitted.'),
} satisfies Record<string, z.ZodType>

/** The name of a documented header. */
export type ResponseHeader = keyof typeof responseHeaders
