import { z } from 'zod'
import { endpoint } from '../../request/endpoint.js'
import { ArdEntry, ardDraft, ardErrorMembers, registryEntry } from './ard-entries.js'

/**
 * GET /.well-known/ard.json: where this registry is, for clients of Agentic Resource Discovery that know the origin only;
 * those of version 0.9 ask for the second path.
 */
export const ardManifest = endpoint({
  name: 'ard-manifest',
  path: '/.well-known/ard.json',
  aliases: ['/.well-known/ai-catalog.json'],
  summary: 'The manifest of Agentic Resource Discovery',
  docs: { tag: 'Clients', description: `${ardDraft} It has this registry as its one entry.`, errors: [] },
  errorMembers: ardErrorMembers,
  response: z.object({
    specVersion: z.literal('1.0').describe('of the predecessor, which wants it'),
    host: z.object({ displayName: z.string(), documentationUrl: z.string() }),
    entries: z.array(ArdEntry),
  }),
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf, publicUrl }) {
    const origin = originOf(header)
    return {
      body: {
        specVersion: '1.0' as const,
        host: { displayName: 'Skill Catalog', documentationUrl: `${origin}/docs` },
        entries: [registryEntry(origin, publicUrl)],
      },
    }
  },
})
