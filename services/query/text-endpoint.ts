import { z } from 'zod'
import { type Endpoint, endpoint } from './endpoint.js'

const nothing = z.object({})

/** What an endpoint has beside what is the same for all that take nothing and answer with a text. */
type TextEndpoint = Pick<
  Endpoint<typeof nothing, typeof nothing, z.ZodString>,
  'name' | 'path' | 'summary' | 'docs' | 'cache' | 'handle'
> & { produces: string }

/** An endpoint that takes no parameters and answers with a text of another media type than JSON. */
export const textEndpoint = (definition: TextEndpoint): Endpoint =>
  endpoint({ ...definition, params: nothing, query: nothing, response: z.string(), limits: ['default'] })
