/** Copies a text to the clipboard. @returns whether the browser did: it refuses on pages without TLS of other machines */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
