/**
 * The code of an error from the operating system, for instance `ENOENT`; null for any other error. Checks members
 * instead of the class: such errors may come from another realm.
 */
export function systemErrorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error
    ? String(error.code)
    : null
}

/** Why a file could not be read or used, for the end of a message. */
export function fileFault(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EACCES':
      return 'this user may not read it'
    case 'EISDIR':
      return 'it is a folder'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** For `catch`: a file or folder that is not there is no error. @throws any other error */
export function ignoreMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') {
    throw error
  }
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
