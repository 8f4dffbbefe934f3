import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

/** An entry of an answer. */
export interface Entry {
  identifier: string
  [member: string]: unknown
}

/** What identifiers of this catalog begin with. */
export const own = 'urn:air:catalog.example:skills'

/** A service of a few skills, with PUBLIC_URL. */
export const withSkills = () =>
  sharedTestApp(
    {
      config: { publicUrl: 'https://catalog.example' },
      skills: [
        aSkill({
          ...{ owner: 'Acme', repo: 'Kit', skill: 'tables', name: 'Tables', description: 'Reads PDF tables', stars: 9 },
          ...{ url: 'https://github.com/Acme/Kit', path: 'skills/pdf tables', commit: 'a'.repeat(40), version: '1.2' },
          ...{ topics: ['pdf', 'csv'], license: 'MIT', language: 'Python', updatedAt: '2026-02-01T00:00:00.000Z' },
        }),
        aSkill({
          owner: 'beta',
          repo: 'own',
          name: 'PDF maker',
          description: 'Writes PDF',
          topics: ['pdf'],
          url: null,
        }),
        aSkill({ owner: 'beta', repo: 'mail', name: 'Mail', description: 'Sends PDF by mail', topics: ['mail'] }),
        aSkill({ owner: 'beta', repo: 'hidden', description: 'Reads PDF', state: 'hidden' }),
        aSkill({ owner: 'beta', repo: 'new', name: 'Zymurgy', formerIds: ['beta/old'] }),
      ],
    },
    (api) => api.publishExports(),
  )

/** The ends of the identifiers of entries. */
export const names = (entries: unknown): string[] =>
  (entries as Entry[]).map(({ identifier }) => identifier.slice(own.length + 1))
