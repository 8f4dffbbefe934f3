/**
 * The code of an error that the operating system reported through Node, for instance `ENOENT`; null for any other
 * error. Asks for members, not for the class: such errors may come from another realm than ours.
 */
export function systemErrorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error
    ? String(error.code)
    : null
}
