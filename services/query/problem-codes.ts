/** What is said of one code: to programs by its status, to people on the page `/docs/errors`. */
export interface ProblemCodeEntry {
  status: number
  /** What has happened. */
  meaning: string
  /** What the client does about it. */
  remedy: string
}

/**
 * Every code that a problem may have, by status. The page of errors, the OpenAPI document and the type of a code are
 * made from this table; an error with a code that is not in it is answered as a fault of ours.
 */
export const problemCodes = {
  moved: {
    status: 308,
    meaning:
      'What was asked for is at another address: the skill was renamed, the path ends with a slash, or the address holds ' +
      'letters beyond ASCII.',
    remedy: 'Follow Location, and use that address from now on. HTTP clients do so by themselves.',
  },
  invalid_parameters: {
    status: 400,
    meaning: 'One or more parameters are unknown, repeated, empty or wrong. Nothing was looked up.',
    remedy: 'Read errors: it names every such parameter and says what would be accepted.',
  },
  malformed_request: {
    status: 400,
    meaning: 'What arrived is not HTTP: a header or the request line cannot be read.',
    remedy: 'Encode the address, and check the headers.',
  },
  malformed_url: {
    status: 400,
    meaning: 'The address is not valid: its percent-encoding, its characters, or the Host header.',
    remedy: 'Encode the address as UTF-8, write a literal % as %25, and leave control characters out.',
  },
  skill_unknown: {
    status: 404,
    meaning: 'No skill has this name, and none ever had.',
    remedy: 'Try one of suggestions, or search for it.',
  },
  sitemap_unknown: {
    status: 404,
    meaning: 'The sitemap has no part of this name.',
    remedy: 'Those that there are, are in /sitemap.xml.',
  },
  unknown_path: {
    status: 404,
    meaning: 'Nothing is at this path.',
    remedy: 'The paths that exist are in /openapi.json. They are lower case.',
  },
  export_unknown: {
    status: 404,
    meaning: 'No export file is called so.',
    remedy: 'The files that are kept are listed by /api/v1/exports, with their addresses.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The catalog is read-only.',
    remedy: 'Use one of the methods in Allow.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive whole in time.',
    remedy: 'Send it again.',
  },
  skill_removed: {
    status: 410,
    meaning: 'The skill was here and has been removed.',
    remedy: 'Delete your copy of it.',
  },
  changes_gone: {
    status: 410,
    meaning: 'The changes behind this since are not kept any more, or since is not one of ours.',
    remedy:
      'Start again: with the files of /api/v1/exports and the changesSince that they name, or with /api/v1/changes ' +
      'without since.',
  },
  export_gone: {
    status: 410,
    meaning: 'The snapshot of this export file is not kept any more: the three newest are.',
    remedy: 'Take the present file: current is its address.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The file is not, or not any more, the one that If-Match or If-Unmodified-Since asks for.',
    remedy: 'Download it from the beginning, without the condition.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The request has a body, and a large one. The catalog takes none.',
    remedy: 'Send GET or HEAD without a body.',
  },
  url_too_long: {
    status: 414,
    meaning: 'Path and query are longer than any that mean something here.',
    remedy: 'Shorten them.',
  },
  range_not_satisfiable: {
    status: 416,
    meaning: 'The part that was asked for begins behind the end of the file.',
    remedy: 'Content-Range tells the size. A copy of that size is complete; check it by Repr-Digest.',
  },
  validator_required: {
    status: 428,
    meaning: 'A part was asked for at an address whose content changes, without saying of which file.',
    remedy:
      'Send If-Range with the ETag of the part that you have, or ask at the address in Content-Location, where the ' +
      'bytes stay. Without either, delete the part and download the whole file.',
  },
  rate_limited: {
    status: 429,
    meaning: 'This client address has used up its quota; RateLimit names which one.',
    remedy: 'Wait as long as Retry-After says. For the whole catalog use /api/v1/export.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'Address and headers together are larger than 16 KiB.',
    remedy: 'Send less, for instance fewer cookies.',
  },
  internal_error: {
    status: 500,
    meaning: 'Something went wrong on our side.',
    remedy: 'Try again; if it stays, report the requestId.',
  },
  catalog_unavailable: {
    status: 503,
    meaning: 'The records cannot be read just now. Statistics and downloads may go on.',
    remedy: 'Try again when Retry-After has passed.',
  },
  search_unavailable: {
    status: 503,
    meaning: 'The search index does not answer just now, or is being prepared. Lists and downloads go on.',
    remedy: 'Try again when Retry-After has passed.',
  },
  query_timeout: {
    status: 503,
    meaning: 'The list or search takes longer than a request may: many skills have to be compared to find a few.',
    remedy:
      'Ask for less: fewer or rarer filters, fewer words, no facets, another order. The same request again is ' +
      'likely to fail again. The whole catalog is in /api/v1/export.',
  },
  exports_unavailable: {
    status: 503,
    meaning: 'The export files cannot be read just now.',
    remedy: 'Try again when Retry-After has passed.',
  },
  export_not_ready: {
    status: 503,
    meaning: 'The export files are being written, for the first time or anew.',
    remedy: 'Try again when Retry-After has passed.',
  },
  changes_not_ready: {
    status: 503,
    meaning: 'The changes are being logged for the first time: to read them now would be to miss some.',
    remedy: 'Try again when Retry-After has passed.',
  },
  stats_not_ready: {
    status: 503,
    meaning: 'The statistics are being computed for the first time.',
    remedy: 'Try again when Retry-After has passed.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'No query service answers the proxy in front of them just now.',
    remedy: 'Try again when Retry-After has passed.',
  },
} as const satisfies Record<string, ProblemCodeEntry>

/** The stable, machine-readable name of an error. */
export type ProblemCode = keyof typeof problemCodes

/** Whether this is a code that clients have been told of. */
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemCodes, code)
