import swcJest from '@swc/jest'

// Jest runs each test file in a context of `node:vm`, in which look-ups of globals are slow, see `sandboxInjectedGlobals` on
// https://jestjs.io/docs/configuration, which works for CommonJS only. So each module has these as constants of its own.
// No test replaces one of them, as tests do with Date and fetch.
const names = [
  'Array',
  'BigInt',
  'Boolean',
  'Buffer',
  'Error',
  'Float32Array',
  'Float64Array',
  'Int8Array',
  'Int32Array',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'Uint8Array',
  'Uint32Array',
]
const prefix = `const { ${names.join(', ')} } = globalThis;`

/** Transforms TypeScript by `@swc/jest`. */
export default {
  createTransformer(options) {
    const swc = swcJest.createTransformer(options)
    const withPrefix = ({ code, ...rest }) => ({ ...rest, code: prefix + code })
    return {
      ...swc,
      process: (...args) => withPrefix(swc.process(...args)),
      processAsync: async (...args) => withPrefix(await swc.processAsync(...args)),
      getCacheKey: (...args) => swc.getCacheKey(...args) + prefix,
    }
  },
}
