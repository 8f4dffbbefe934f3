// Healthy is a query service that answers. Whether its servers do is in /readyz: it goes on without some of them.
const answer = await fetch(`http://127.0.0.1:${process.env.PORT}/healthz`, { signal: AbortSignal.timeout(4_000) })
process.exit(answer.ok ? 0 : 1)
