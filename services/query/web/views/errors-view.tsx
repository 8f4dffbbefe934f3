/** A code of the API's errors. */
interface ErrorEntry {
  code: string
  status: string
  meaning: string
  remedy: string
}

export interface ErrorsData {
  entries: ErrorEntry[]
}

/** The meaning of each error code. */
export const ErrorsView = ({ entries }: ErrorsData) => (
  <div class="errors-view">
    <h1>Errors</h1>
    <p class="lead">
      Every error is a problem document (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>):{' '}
      <code>code</code> is for programs and stays the same, <code>detail</code> says what happened and what to do,{' '}
      <code>type</code> links to one of these entries. Some have further members, for instance <code>errors</code> with
      every refused parameter.
    </p>
    {entries.map(({ code, status, meaning, remedy }) => (
      <section key={code} id={code}>
        <h2>
          <a href={`#${code}`}>
            <code>{code}</code>
          </a>
        </h2>
        <p class="quiet">{status}</p>
        <p>{meaning}</p>
        <p>
          <strong>What to do:</strong> {remedy}
        </p>
      </section>
    ))}
  </div>
)
