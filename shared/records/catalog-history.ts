import { z } from 'zod'
import { Stats } from './stats.js'

/** The totals of the catalog at the end of a day, or of today until now. */
export const CatalogDay = Stats.shape.totals.extend({ date: z.iso.date().describe('the day, UTC') })
export type CatalogDay = z.infer<typeof CatalogDay>
