import { AsyncLocalStorage } from 'node:async_hooks'

const asking = new AsyncLocalStorage<string>()

/** Runs a function for a client: all store calls in it are made for that client. */
export const runForClient = <T>(client: string, work: () => T): T => asking.run(client, work)

/** The client for which a store is called; empty where none was set. */
export const currentClient = (): string => asking.getStore() ?? ''
