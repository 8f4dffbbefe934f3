import { AsyncLocalStorage } from 'node:async_hooks'

const asking = new AsyncLocalStorage<string>()

/** Does something for a client: whatever a store is asked meanwhile, it is asked for that client. */
export const forClient = <T>(client: string, work: () => T): T => asking.run(client, work)

/** For which client a store is being asked; nobody in particular where none was named. */
export const askingClient = (): string => asking.getStore() ?? ''
