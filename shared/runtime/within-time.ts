/**
 * The result of a call.
 *
 * @param dropLate receives a result that arrives after the time limit, to release it
 * @throws Error when it does not settle in time; else as the call
 */
export const withinTime = <T>(
  called: Promise<T>,
  timeLimitMs: number,
  dropLate: (late: T) => void = () => {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    let take: (result: T) => void = resolve
    const timer = setTimeout(() => {
      take = dropLate
      reject(new Error(`no answer within ${timeLimitMs} ms`))
    }, timeLimitMs)
    called.then(
      (result) => {
        clearTimeout(timer)
        take(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
