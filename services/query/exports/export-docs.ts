import { z } from 'zod'
import { fileSchemas, type RecordType } from '../../../shared/records/records.js'
import type { EndpointDocs } from '../openapi/endpoint-docs.js'

const envelopeOf = <T extends RecordType>(type: T) =>
  z.object({
    type: z.literal(type),
    license: z.string(),
    licenseUrl: z.string(),
    snapshot: z.string(),
    generatedAt: z.string(),
    total: z.int().describe('records in the catalog at the time of the snapshot'),
    count: z.int().describe('records in the file'),
    truncated: z.boolean().describe('whether the file holds fewer records than the catalog'),
    data: z
      .array(fileSchemas[type])
      .describe('skills sorted by stars, then id; prompts by id; organizations by number of skills'),
  })

/** The JSON form of an export file. */
export const ExportEnvelope = z.discriminatedUnion('type', [
  envelopeOf('skills'),
  envelopeOf('prompts'),
  envelopeOf('organizations'),
])

/** The documentation that all endpoints of export files share. */
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
    'text/csv': z.string().describe('RFC 4180: a header row and one row per record; lists joined by |'),
    'application/x-ndjson': z.string().describe('one record per line'),
  },
  ranges: true,
} as const satisfies Partial<EndpointDocs>
