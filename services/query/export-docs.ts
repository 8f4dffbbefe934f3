import { z } from 'zod'
import { publicSchemas, type RecordType } from '../../shared/records/records.js'
import type { EndpointDocs } from './openapi/endpoint-docs.js'

const envelopeOf = <T extends RecordType>(type: T) =>
  z.object({
    type: z.literal(type),
    license: z.string(),
    licenseUrl: z.string(),
    snapshot: z.string(),
    generatedAt: z.string(),
    total: z.int().describe('records in the catalog at that moment'),
    count: z.int().describe('records in the file'),
    truncated: z.boolean().describe('whether the file holds fewer than there were'),
    data: z.array(publicSchemas[type]).describe('skills by stars, then id; the others by id or by their skills'),
  })

/** What an export file holds as JSON. */
export const ExportEnvelope = z.discriminatedUnion('type', [
  envelopeOf('skills'),
  envelopeOf('prompts'),
  envelopeOf('organizations'),
])

/** What the documentation says of every address at which an export file can be had. */
export const exportDocs = {
  tag: 'Catalog',
  headers: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Location',
    'Last-Modified',
    'Repr-Digest',
    'X-Total-Count',
    'X-Export-Count',
    'X-Export-Truncated',
  ],
  content: {
    'application/json': ExportEnvelope,
    'text/csv': z.string().describe('RFC 4180: a header row and a row for each record; lists joined by |'),
    'application/x-ndjson': z.string().describe('one record a line'),
  },
  ranges: true,
} as const satisfies Partial<EndpointDocs>
