import { z } from 'zod'
import { invalidParameters } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { endpoint } from '../request/endpoint.js'
import { EntriesBody, maxEntries } from '../skills/lock-entries.js'
import { ResolvedEntry, resolveEntries } from '../skills/resolve-entries.js'

/** Bytes of a body: 200 entries of a lock file have some 100,000. */
const maxBodyBytes = 262_144

/** POST /api/v1/resolve: what has become of skills that a client has. */
export const resolveSkills = endpoint({
  name: 'resolve-skills',
  path: '/api/v1/resolve',
  methods: ['POST'],
  maxBodyBytes,
  takes: EntriesBody,
  summary: 'What has become of skills that you have',
  docs: {
    tag: 'Skills',
    description:
      'For update bots and people with a lock file. Send `skills-lock.json` or `.skill-lock.json` of `npx skills` as it ' +
      `is, or a list of objects with an \`id\` in \`skills\`: up to ${maxEntries} entries. Nothing of it is kept. \`current\` and \`outdated\` ` +
      'are said only of what was compared: the digest of a SKILL.md, a commit, or the hash of a folder that has nothing ' +
      'but a SKILL.md. An entry that cannot be read is `invalid`, and the others are answered.',
    errors: ['catalog_unavailable', 'query_timeout'],
  },
  response: z.object({ data: z.array(ResolvedEntry) }),
  cache: null,

  async handle({ body, header }, { catalog, changes, originOf }) {
    const entries = entriesIn(parseJson(body))
    // The service's public host, and the one in the request: lock files may name either.
    const hosts = [originOf(header), `http://${header('Host')}`].flatMap((origin) => parseUrl(origin)?.host ?? [])
    return { body: { data: await resolveEntries(entries, hosts, { catalog, changes }) } }
  },
})

/** @throws AppError `invalid_parameters` (400) where the body as a whole has no entries */
function entriesIn(value: unknown): [name: string | null, entry: unknown][] {
  const refuse = (parameter: string, message: string) => invalidParameters([{ parameter, message }])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const fault = value === undefined ? 'is not valid JSON' : 'is JSON, but not an object'
    throw refuse('body', `${fault}: send a lock file, or an object such as {"skills": [{"id": "acme/skills@pdf"}]}.`)
  }
  const { skills } = value as { skills?: unknown }
  if (typeof skills !== 'object' || skills === null) {
    const fault = skills === undefined ? 'is required' : 'is no object or list'
    throw refuse('skills', `${fault}: give the entries of a lock file, or a list such as [{"id": "acme/skills@pdf"}].`)
  }
  const entries = Array.isArray(skills) ? skills.map((entry): [null, unknown] => [null, entry]) : Object.entries(skills)
  if (entries.length > maxEntries) {
    throw refuse('skills', `has ${entries.length} entries: send at most ${maxEntries} at once.`)
  }
  return entries
}
