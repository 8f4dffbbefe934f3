import { z } from 'zod'
import { endpoint } from '../../http/endpoint.js'

/** GET /.well-known/clawhub.json: where the client of ClawHub, which knows the origin only, finds what it asks. */
export const clawhubSettings = endpoint({
  name: 'clawhub-settings',
  path: '/.well-known/clawhub.json',
  summary: 'Where the command clawhub finds its registry',
  docs: { tag: 'Clients', errors: [] },
  params: z.object({}),
  query: z.object({}),
  response: z.object({ apiBase: z.string().describe('what the client puts before its own paths') }),
  limits: ['default'],
  cache: { maxAgeSeconds: 3_600, staleWhileRevalidateSeconds: 86_400 },

  async handle({ header }, { originOf }) {
    return { body: { apiBase: `${originOf(header)}/clawhub` } }
  },
})
