import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.js'

const nothing = z.object({})

/** The fields that differ between endpoints without parameters that return a text. */
type TextEndpoint = Pick<
  Endpoint<typeof nothing, typeof nothing, z.ZodString>,
  'name' | 'path' | 'summary' | 'docs' | 'cache' | 'handle'
> & {
  produces: string
  /** Default: `default`. */
  limits?: Endpoint['limits']
}

/** An endpoint without parameters that returns a text of a media type other than JSON. */
export const textEndpoint = (definition: TextEndpoint): Endpoint =>
  endpoint({ limits: ['default'], ...definition, params: nothing, query: nothing, response: z.string() })
