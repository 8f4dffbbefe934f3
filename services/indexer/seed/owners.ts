import { vocabulary } from './vocabulary.js'

/** The number of owners for a number of skills. */
export const ownerCount = (skills: number): number => Math.max(1, Math.ceil(skills / 5))

/** The vocabulary in an order independent of frequency; a prime step visits each word once. */
const names = vocabulary.map((_word, index) => vocabulary[(index * 7_919) % vocabulary.length] as string)

/** The unique name of the owner of a rank; rank 0 has the most skills. */
export function ownerName(rank: number): string {
  const first = names[rank % names.length] as string
  const round = Math.floor(rank / names.length)
  const name = round === 0 ? first : `${first}-${names[(round * 31 + rank) % names.length]}`
  return rank % 7 === 0 ? name.charAt(0).toUpperCase() + name.slice(1) : name
}
