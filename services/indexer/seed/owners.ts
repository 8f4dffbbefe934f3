import { vocabulary } from './vocabulary.js'

/** How many owners a catalog of so many skills has. */
export const ownerCount = (skills: number): number => Math.max(1, Math.ceil(skills / 5))

/** The same words in an order that has nothing to do with how common they are; a prime step visits each once. */
const names = vocabulary.map((_word, index) => vocabulary[(index * 7_919) % vocabulary.length] as string)

/** The name of an owner by rank, the one with most skills first; each has another one. */
export function ownerName(rank: number): string {
  const first = names[rank % names.length] as string
  const round = Math.floor(rank / names.length)
  const name = round === 0 ? first : `${first}-${names[(round * 31 + rank) % names.length]}`
  return rank % 7 === 0 ? name.charAt(0).toUpperCase() + name.slice(1) : name
}
