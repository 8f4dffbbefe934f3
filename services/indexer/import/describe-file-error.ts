import { isNativeError } from 'node:util/types'

export const bytesAfterGzip = 'has other bytes after its gzip data. Unpack it with gunzip, and import what that writes.'

/** Describes why a file or folder could not be read, to follow its name, and what to do. */
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
      return 'ends in the middle of its gzip data: the file is truncated.'
    case 'Z_DATA_ERROR':
      // A source is unpacked where its header is one: this is what comes after its data.
      return isNativeError(error) && error.message === 'incorrect header check'
        ? bytesAfterGzip
        : 'has damaged gzip data. Download or pack it again.'
    default:
      return `cannot be read: ${isNativeError(error) ? error.message : error}`
  }
}
