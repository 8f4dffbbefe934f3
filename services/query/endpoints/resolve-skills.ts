import { z } from 'zod'
import { Timestamp } from '../../../shared/records/field-schemas.js'
import { SkillSchema } from '../../../shared/records/schemas.js'
import { invalidParameters } from '../../../shared/runtime/errors.js'
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { parseUrl } from '../../../shared/text/parse-url.js'
import { endpoint } from '../request/endpoint.js'
import { comparisons } from '../skills/compare-copy.js'
import { EntriesBody, maxEntries } from '../skills/lock-entries.js'
import { reasons, resolveEntries, statuses } from '../skills/resolve-entries.js'

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
  response: z.object({
    data: z.array(
      z
        .object({
          name: z.string().nullable().describe('its name in the lock file; null: it has none'),
          id: z
            .string()
            .nullable()
            .describe('the id that was looked up, the likeliest one; null: the entry names no repository'),
          status: z
            .enum(statuses)
            .describe(
              'current: your copy is what the catalog has; outdated: the catalog has another SKILL.md; renamed: presentId ' +
                'is its id now; removed; hidden: it was public, and is not shown any more; unknown: see reason; invalid: ' +
                'the entry cannot be read',
            ),
          reason: z
            .enum(reasons)
            .nullable()
            .describe('why nothing is said of the copy, for programs; null: something is said'),
          detail: z.string().nullable().describe('the same for people, with what to do; null as reason is'),
          compared: z
            .enum(comparisons)
            .nullable()
            .describe('what was compared: digest of the SKILL.md, folder hash, or commit; null: nothing'),
          isSame: z
            .boolean()
            .nullable()
            .describe('whether your copy is what the catalog has, also of a renamed skill; null: not known'),
          presentId: SkillSchema.shape.id.nullable().describe('the id of the published skill; null: there is none'),
          version: SkillSchema.shape.version.describe('its present version; null: unknown'),
          commit: SkillSchema.shape.commit.describe('its present commit; null: unknown'),
          digest: SkillSchema.shape.digest.describe('the present SHA-256 of its SKILL.md; null: unknown'),
          changedAt: Timestamp.nullable().describe(
            'when the catalog took in the last change of the skill, of any field, or its removal, hiding or renaming; ' +
              'null: unknown',
          ),
        })
        .meta({ id: 'ResolvedSkill' }),
    ),
  }),
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
