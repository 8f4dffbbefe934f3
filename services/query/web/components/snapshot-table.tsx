import { formatBytes, formatNumber } from '../../../../shared/text/format-numbers.js'
import type { SnapshotsAnswer } from '../api/answers.js'

export type Snapshot = SnapshotsAnswer['data'][number]
/** Every record of the catalog. */
export type Dataset = SnapshotsAnswer['datasets'][number]
type File = Dataset['files'][number] | Snapshot['files'][number]

/** The files of a snapshot, each with its size in every encoding. */
export function SnapshotTable({ files }: { files: readonly File[] }) {
  const plain = files.filter(({ encoding }) => encoding === 'identity')
  const sizeOf = (file: File, encoding: File['encoding']) => {
    const same = files.find((other) => other.path === file.path && other.encoding === encoding)
    return same === undefined ? '–' : formatBytes(same.bytes)
  }
  return (
    <table class="files">
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col">Rows</th>
          <th scope="col">Size</th>
          <th scope="col">gzip</th>
          <th scope="col">br</th>
          <th scope="col">SHA-256</th>
        </tr>
      </thead>
      <tbody>
        {plain.map((file) => (
          <tr key={file.path}>
            <th scope="row">
              <a href={file.path} download>
                {file.path.split('/').at(-1)}
              </a>
            </th>
            <td data-column="Rows">
              {formatNumber(file.rows)}
              {file.truncated ? ` of ${formatNumber(file.total)}` : ''}
            </td>
            <td data-column="Size">{formatBytes(file.bytes)}</td>
            <td data-column="gzip">{sizeOf(file, 'gzip')}</td>
            <td data-column="br">{sizeOf(file, 'br')}</td>
            <td data-column="SHA-256" class="mono digest">
              {file.sha256}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
