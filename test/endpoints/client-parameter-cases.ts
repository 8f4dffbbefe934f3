import { each, oneOf, type ParameterCases, type QueryCases, wholeNumber } from './parameter-kinds.js'

const notUnderstood =
  "is not understood: write it as type = 'application/ai-skill' AND tags = 'pdf' AND updatedAfter > '2026-01-31'."
const orderMessage = 'must be one of displayName, updatedAt, createdAt, metadata.stars, and after it ASC or DESC.'
const tokenMessage =
  'is damaged, or belongs to another list: use that of the previous page with the same filter and orderBy, or omit it.'

/** Values that other endpoints take as well. */
interface Shared {
  queryText: ParameterCases
  owners: ParameterCases
  aCursor: string
}

/** The queries of the endpoints for clients of others, by path. */
export const clientCases = ({ queryText, owners, aCursor }: Shared): Record<string, QueryCases> => ({
  '/api/search': {
    least: { q: 'pdf' },
    parameters: { q: queryText, limit: wholeNumber(1, 100), owner: owners },
  },
  '/agents': {
    least: {},
    parameters: {
      filter: {
        valid: ['tags%3Dpdf', "type+%3D+'application/ai-skill'+AND+updatedAfter+%3E%3D+2026-01-31"],
        wrong: [['pdf', notUnderstood], ...each(['tags%3D', '%3Dpdf', 'tags%3Da+OR+tags%3Db', '%00'], notUnderstood)],
        oversized: [[`tags%3D${'a'.repeat(2_000)}`, 'has more than 2000 characters.']],
      },
      orderBy: {
        valid: ['displayName', 'metadata.stars+DESC'],
        wrong: [['stars', orderMessage], ...each(['name+up', 'name,updatedAt', '%00'], orderMessage)],
        oversized: [['a'.repeat(5_000), orderMessage]],
      },
      pageSize: wholeNumber(1, 100),
      pageToken: {
        valid: [aCursor],
        wrong: [['x', tokenMessage], ...each(['%00', 'W10', aCursor.slice(1)], tokenMessage)],
        oversized: [['A'.repeat(5_000), tokenMessage]],
      },
    },
  },
  '/clawhub/api/v1/search': {
    least: { q: 'pdf' },
    parameters: { q: queryText, limit: wholeNumber(1, 100), mode: oneOf(['exact']) },
  },
  '/clawhub/api/v1/skills/pdf': {
    least: { ownerHandle: 'acme' },
    parameters: {
      ownerHandle: {
        ...owners,
        valid: ['acme', 'ACME'],
        required: 'is required, since two owners may use one name: ask as in clawhub inspect owner/name.',
      },
    },
  },
})
