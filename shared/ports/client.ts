/**
 * A client of the service, as the last argument of a call that is made for it: calls that have to wait take turns by
 * client. A call without one is the service's own, a health check or a job, and never waits.
 */
export class Client {
  /** @param key equal for all requests of one client, see `clientKey` */
  constructor(readonly key: string) {}
}

/** The client of a call; undefined: it has none. */
export function clientOf(args: unknown[]): Client | undefined {
  const last = args.at(-1)
  return last instanceof Client ? last : undefined
}
