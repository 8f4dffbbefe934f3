import helmet from 'koa-helmet'
import type { QueryMiddleware } from './state.js'

/**
 * Headers that keep browsers from making more of an answer than it is: `nosniff`, no referrer, and a policy that
 * allows nothing. Everything is public data, so other sites may embed it. Encryption is up to the proxy in front, and
 * so is announcing it; what only speaks to browsers of long ago is left out.
 */
export const securityHeaders = (): QueryMiddleware =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
