import { expect, test } from '@jest/globals'
import { digestOf } from '../../shared/text/skill-text.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

const text = '---\nname: hidden\ndescription: Does it.\n---\nText.\n'
const digest = digestOf(text)
const removedAt = '2026-01-05T10:00:00.000Z'

/** Those that are gone have a text. */
const shared = sharedTestApp(
  {
    skills: [
      aSkill({ owner: 'acme', repo: 'new', formerIds: ['acme/old'] }),
      aSkill({ owner: 'acme', repo: 'gone', state: 'removed', removedAt, digest }),
      aSkill({ owner: 'acme', repo: 'hidden', state: 'hidden', formerIds: ['acme/hidden-before'], digest }),
    ],
  },
  ({ stores }) =>
    stores.catalog.keepContents(
      ['acme/gone', 'acme/hidden'].map((id) => ({ id, digest, text, files: { files: [], total: 1 } })),
    ),
)

/** The addresses of a skill, with a star for its repository. */
const addresses = [
  ...['/api/skills', '/api/v1/skills'].flatMap((path) =>
    ['', '?fields=name', '/related?limit=3&fields=name', '/history', '/files', '/SKILL.md'].map(
      (rest) => `${path}/acme/*${rest}`,
    ),
  ),
  '/skills/acme/*',
  '/skills/acme/*/.well-known/agent-skills/index.json',
  '/clawhub/api/v1/skills/*?ownerHandle=acme',
]

test.each(addresses)('%s follows a rename; a removed, a hidden and an unknown skill are not there', async (address) => {
  const get = (repo: string) => shared().get(address.replace('*', repo))

  expect(await get('old')).toMatchObject({ status: 308, headers: { location: address.replace('*', 'new') } })
  expect(await get('gone')).toMatchObject({ status: 410, body: { code: 'skill_removed' } })
  for (const repo of ['hidden', 'hidden-before', 'never']) {
    expect(await get(repo)).toMatchObject({ status: 404, body: { code: 'skill_unknown' } })
  }
})
