/** One error code: its status for programs, its explanation for the page `/docs/errors`. */
export interface ProblemCodeEntry {
  status: number
  /** The cause. */
  meaning: string
  /** What the client should do. */
  remedy: string
}

/**
 * Every error code, by status. The page of errors, the OpenAPI document and the type of a code are generated from this
 * table; an error with any other code is answered as an internal error.
 */
export const problemCodes = {
  moved: {
    status: 308,
    meaning:
      'The resource is at another URL: the skill was renamed, the path ends with a slash, or the URL has non-ASCII ' +
      'characters.',
    remedy: 'Follow Location, and use that URL from now on. HTTP clients follow it automatically.',
  },
  part_elsewhere: {
    status: 307,
    meaning: 'A part of a file was requested at the URL of the current export, whose file changes with each snapshot.',
    remedy: 'Request the part at Location: the bytes there never change. HTTP clients follow it automatically.',
  },
  invalid_parameters: {
    status: 400,
    meaning: 'One or more parameters are unknown, repeated, empty or wrong. The request was not executed.',
    remedy: 'Read errors: it lists every such parameter with the accepted values.',
  },
  malformed_request: {
    status: 400,
    meaning: 'The request is not valid HTTP: a header or the request line is malformed.',
    remedy: 'Encode the URL, and check the headers.',
  },
  malformed_url: {
    status: 400,
    meaning: 'The URL is not valid: its percent-encoding, its characters, or the Host header.',
    remedy: 'Percent-encode the URL as UTF-8, a literal % as %25, and remove control characters.',
  },
  origin_refused: {
    status: 403,
    meaning:
      'A page has called an endpoint that answers POST only, such as /mcp, with an Origin that is none, or under a name ' +
      'that is not of this service: its host may point to an address of another network (DNS rebinding).',
    remedy: 'Call it under its own name. Programs send no Origin.',
  },
  skill_unknown: {
    status: 404,
    meaning: 'No skill has, or had, this name.',
    remedy: 'Try one of the suggestions, or search for it.',
  },
  skill_text_unknown: {
    status: 404,
    meaning: 'The catalog has the skill, but not its text and its list of files.',
    remedy: 'Read it in its repository, whose URL the response has; of a repository with several skills ask for one.',
  },
  skills_index_partial: {
    status: 404,
    meaning:
      'The index of the newest skills does not say what has become of others, and is none for a check for updates.',
    remedy: 'Take skills by the address of their page; or send the lock file by POST to /api/v1/resolve.',
  },
  organization_unknown: {
    status: 404,
    meaning: 'No published skill has this owner.',
    remedy: 'Search for it, or list skills with /api/v1/skills.',
  },
  topic_unknown: {
    status: 404,
    meaning: 'No published skill has this topic.',
    remedy: 'Search for it; /api/v1/stats lists the largest topics.',
  },
  sitemap_unknown: {
    status: 404,
    meaning: 'The sitemap has no part of this name.',
    remedy: '/sitemap.xml lists the parts.',
  },
  unknown_path: {
    status: 404,
    meaning: 'There is no endpoint at this path.',
    remedy: '/openapi.json lists the paths. They are lower case.',
  },
  export_unknown: {
    status: 404,
    meaning: 'No export file has this name.',
    remedy: '/api/v1/exports lists the available files with their paths.',
  },
  method_not_allowed: {
    status: 405,
    meaning:
      'The catalog is read-only; only /api/v1/skills/search, /api/v1/resolve, /search, /explore and /mcp are called by ' +
      'POST.',
    remedy: 'Use a method in Allow.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The complete request did not arrive in time.',
    remedy: 'Send it again.',
  },
  skill_removed: {
    status: 410,
    meaning: 'The skill has been removed.',
    remedy: 'Delete your copy of it.',
  },
  changes_gone: {
    status: 410,
    meaning: 'The changes after this since are not kept any more, or since is not a value of this service.',
    remedy:
      'Start again: with the files of /api/v1/exports and their changesSince, or with /api/v1/changes without since.',
  },
  export_gone: {
    status: 410,
    meaning:
      'The snapshot of this export file is not kept any more: the three newest are, others for an hour at most, and of the ' +
      'dataset the two newest.',
    remedy: 'Download the current file, at the path in current.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The file is not the one that If-Match or If-Unmodified-Since requires.',
    remedy: 'Download it from the beginning, without the condition.',
  },
  body_too_large: {
    status: 413,
    meaning:
      'The body of the request is too large: only a POST takes one, to /api/v1/skills/search, /search and /explore of up ' +
      'to 32 KiB, to /mcp of up to 64 KiB, to /api/v1/resolve of up to 256 KiB.',
    remedy: 'Send GET or HEAD without a body, and by POST a smaller one.',
  },
  url_too_long: {
    status: 414,
    meaning: 'Path and query are longer than 8,000 characters, which proxies and clients may not take.',
    remedy: 'Shorten them. Send a long search by POST to /api/v1/skills/search, with the same parameters as JSON.',
  },
  unsupported_media_type: {
    status: 415,
    meaning:
      'The body of a POST to /api/v1/skills/search, /api/v1/resolve, /search or /explore is not sent as JSON, or is compressed.',
    remedy: 'Send a JSON object in UTF-8, with Content-Type: application/json.',
  },
  range_not_satisfiable: {
    status: 416,
    meaning: 'The requested range begins after the end of the file.',
    remedy: 'Content-Range has the size. A copy of that size is complete; check it with Repr-Digest.',
  },
  validator_required: {
    status: 428,
    meaning: 'A range was requested at a URL whose content changes, without the ETag of the file.',
    remedy:
      'Send If-Range with the ETag of the part that you have, or use the URL in Content-Location, where the bytes ' +
      'never change. Without either, delete the part and download the whole file.',
  },
  rate_limited: {
    status: 429,
    meaning: 'This client address has used up its quota; RateLimit names it.',
    remedy: 'Wait for the time in Retry-After. /api/v1/exports lists files with every record.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'URL and headers together are larger than 16 KiB.',
    remedy:
      'Shorten them, for instance with fewer cookies. Send a long search by POST to /api/v1/skills/search, with the same ' +
      'parameters as JSON.',
  },
  internal_error: {
    status: 500,
    meaning: 'Something went wrong on our side.',
    remedy: 'Try again; if it fails again, report the requestId.',
  },
  catalog_unavailable: {
    status: 503,
    meaning: 'The catalog is unavailable. Statistics and downloads may still work.',
    remedy: 'Try again after the time in Retry-After.',
  },
  search_unavailable: {
    status: 503,
    meaning: 'The search index is unavailable, or is being built. Lists and downloads still work.',
    remedy: 'Try again after the time in Retry-After.',
  },
  query_timeout: {
    status: 503,
    meaning: 'The list or search takes longer than a request may: it has to compare many skills.',
    remedy:
      'Narrow the request: fewer filters, fewer words, no facets, another order. The same request is likely to fail ' +
      'again. /api/v1/exports lists files with every record.',
  },
  exports_unavailable: {
    status: 503,
    meaning: 'The export files are unavailable.',
    remedy: 'Try again after the time in Retry-After.',
  },
  export_not_ready: {
    status: 503,
    meaning: 'The export files are being written, for the first time or again.',
    remedy: 'Try again after the time in Retry-After.',
  },
  changes_not_ready: {
    status: 503,
    meaning: 'The changes are being logged for the first time and are still incomplete.',
    remedy: 'Try again after the time in Retry-After.',
  },
  stats_not_ready: {
    status: 503,
    meaning: 'The statistics are being computed for the first time.',
    remedy: 'Try again after the time in Retry-After.',
  },
  overloaded: {
    status: 503,
    meaning: 'There are more requests than the service can answer in time. Nothing was done for this one.',
    remedy: 'Try again after the time in Retry-After. Send fewer requests at the same time.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'The proxy reaches no query service.',
    remedy: 'Try again after the time in Retry-After.',
  },
} as const satisfies Record<string, ProblemCodeEntry>

/** The stable, machine-readable name of an error. */
export type ProblemCode = keyof typeof problemCodes

/** Whether this is a documented code. */
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemCodes, code)
