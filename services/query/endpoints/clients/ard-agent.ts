import { z } from 'zod'
import { skillOf } from '../../../../shared/records/skill.js'
import { endpoint } from '../../http/endpoint.js'
import { problemError } from '../../problems/errors.js'
import {
  ArdEntry,
  ArdIdentifier,
  ardDraft,
  ardErrorMembers,
  entryOf,
  publisherOf,
  registryEntry,
  skillOfIdentifier,
} from './ard-entries.js'

/** GET /agents/:identifier: one entry of Agentic Resource Discovery, by exactly its identifier. */
export const ardAgent = endpoint({
  name: 'ard-agent',
  path: '/agents/:identifier',
  summary: 'One entry of Agentic Resource Discovery',
  docs: {
    tag: 'Clients',
    description: `${ardDraft} By exactly its identifier: a former name of a skill, and a removed one, are not found.`,
    errors: ['skill_unknown', 'catalog_unavailable'],
  },
  errorMembers: ardErrorMembers,
  params: z.object({ identifier: ArdIdentifier.describe('as in an answer, percent-encoded') }),
  query: z.object({}),
  response: ArdEntry,
  limits: ['default'],
  cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 300 },

  async handle({ params: { identifier }, header }, { catalog, originOf, publicUrl }) {
    const origin = originOf(header)
    const own = registryEntry(origin, publicUrl)
    if (identifier === own.identifier) {
      return { body: own }
    }
    const id = skillOfIdentifier(identifier, publisherOf(publicUrl))
    const found = id === null ? null : await catalog.findSkill(id)
    if (found?.state !== 'published') {
      throw problemError('skill_unknown', `There is no entry ${identifier}. Search for it by POST to /search.`)
    }
    return { body: entryOf(skillOf(found), { origin, publicUrl }) }
  },
})
