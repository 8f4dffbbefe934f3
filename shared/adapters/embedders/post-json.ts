/** A response of any status. */
export interface PostedAnswer {
  status: number
  headers: Headers
  body: string
}

/** The body of a response has more bytes than allowed. */
export class BodyTooLarge extends Error {}

/**
 * Posts JSON. Redirects are returned, not followed: the key must not get to another server.
 *
 * @param options.key sent as a bearer token (RFC 6750); null: none
 * @param options.maxBytes of the decompressed response
 * @throws BodyTooLarge; the reason of `signal`; the error of fetch
 */
export async function postJson(
  url: string,
  content: unknown,
  { key, maxBytes, signal }: { key: string | null; maxBytes: number; signal: AbortSignal },
): Promise<PostedAnswer> {
  const { status, headers, body } = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'skill-catalog',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(content),
  })
  const parts: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early closes the connection.
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) {
      throw new BodyTooLarge(`more than ${maxBytes} bytes`)
    }
    parts.push(part)
  }
  return { status, headers, body: Buffer.concat(parts).toString() }
}
