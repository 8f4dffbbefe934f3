// Healthy: the query service answers. The state of its backends is in /readyz: it still works without some of them.
const answer = await fetch(`http://127.0.0.1:${process.env.PORT}/healthz`, { signal: AbortSignal.timeout(4_000) })
process.exit(answer.ok ? 0 : 1)
