/** A page or file of the queue board. */
export interface BoardAnswer {
  status: number
  /** The media type, or the extension of a file: `html`, `.js`. */
  type: string
  body: string | Buffer
}

/** Pages that show the queues of the jobs to operators. They change nothing. */
export interface QueueBoard {
  /**
   * Answers a GET request.
   *
   * @param path below that of the board, beginning with a slash
   * @param query parameters of the request
   * @returns null when there is nothing at this path
   */
  answer(path: string, query: Record<string, unknown>): Promise<BoardAnswer | null>
  close(): Promise<void>
}
