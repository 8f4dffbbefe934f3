import { setImmediate } from 'node:timers/promises'

/**
 * The same port, after each call of which other things have their turn. A store that answers in this thread leaves
 * none between two calls: a progress bar would stand still, and Ctrl-C would wait for the end of the command.
 */
export function yielding<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return typeof member !== 'function'
        ? member
        : async (...args: unknown[]): Promise<unknown> => {
            const answer: unknown = await Reflect.apply(member, target, args)
            await setImmediate()
            return answer
          }
    },
  })
}
