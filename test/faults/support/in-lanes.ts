/** Repeats work with limited concurrency. */
export async function inLanes<T>(count: number, lanes: number, work: (time: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let begun = 0
  const lane = async () => {
    while (begun < count) {
      begun += 1
      results.push(await work(begun))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
