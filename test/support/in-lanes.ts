/** Repeats work with limited concurrency. @param work is given 1, 2 and so on @returns the results in this order */
export async function inLanes<T>(count: number, lanes: number, work: (time: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let begun = 0
  const lane = async () => {
    while (begun < count) {
      begun += 1
      const place = begun - 1
      results[place] = await work(begun)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
