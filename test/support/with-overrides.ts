/** The same port with some of its members replaced. */
export const withOverrides = <Port extends object>(port: Port, members: Partial<Port>): Port =>
  new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(members, name)) {
        return Reflect.get(members, name)
      }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
