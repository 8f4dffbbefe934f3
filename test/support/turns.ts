/**
 * Makes many calls for one client, then one for another.
 *
 * @param call makes the call with this number
 * @returns how many of the calls of the busy client ended before that of the other one
 */
export async function endedBeforeAnother(
  calls: number,
  call: (number: number, client: string) => Promise<unknown>,
): Promise<number> {
  let ended = 0
  const all = Array.from({ length: calls }, async (_, number) => {
    await call(number, 'busy')
    ended += 1
  })
  const another = call(calls, 'another').then(() => ended)
  await Promise.all([another, ...all])
  return another
}
