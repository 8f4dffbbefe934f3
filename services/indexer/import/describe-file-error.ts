import { isNativeError } from 'node:util/types'

/** Why a file or folder could not be read, in words that follow its name, and what to do. */
export function describeFileError(error: unknown): string {
  const code = isNativeError(error) && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOENT':
      return 'does not exist. Check the path.'
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user. Check its permissions.'
    case 'ELOOP':
      return 'is a symbolic link to itself.'
    case 'ENXIO':
      return 'cannot be opened as a pipe. Use - for standard input.'
    case 'Z_BUF_ERROR':
      return 'ends in the middle of its gzip data: the file is cut.'
    case 'Z_DATA_ERROR':
      return 'holds damaged gzip data.'
    default:
      return `cannot be read: ${isNativeError(error) ? error.message : error}`
  }
}
