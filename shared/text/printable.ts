/** Text of unknown origin for a terminal: what could move the cursor or change colours is shown as a question mark. */
export const printable = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '?')
