import helmet from 'koa-helmet'
import type { QueryMiddleware } from './state.js'

/**
 * Restricts browsers: `nosniff`, no referrer, and a policy that allows nothing. All data is public, so other sites may
 * embed it. TLS and HSTS are up to the proxy in front; headers for browsers no longer in use are omitted.
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
