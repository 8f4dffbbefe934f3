import type { StoredOrganization } from '../../../shared/records/organization.js'
import { ownerName } from './owners.js'
import { Random } from './random.js'
import { makeTimes } from './times.js'
import { capitalized, Writer } from './writer.js'

/** Generates organizations of the owners with the most skills; the same ones for the same count and seed. */
export function* generateOrganizations(count: number, seed: number): Generator<StoredOrganization> {
  const random = new Random(seed, 'organizations')
  const writer = new Writer(random)
  for (let rank = 0; rank < count; rank += 1) {
    const login = ownerName(rank).toLowerCase()
    const { createdAt, updatedAt } = makeTimes(random)
    yield {
      login,
      name: login.split('-').map(capitalized).join(' '),
      description: random.chance(0.8) ? writer.sentence(random.between(5, 16)) : null,
      url: `https://${login}.example/`,
      avatarUrl: `https://git.example/avatars/${login}.png`,
      createdAt,
      updatedAt,
      state: 'published',
      removedAt: null,
    }
  }
}
