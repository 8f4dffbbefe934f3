/**
 * The pattern of a list that is written in one text, with commas. It is shown as text: clients that are made from the
 * document would repeat the parameter for each entry of an array.
 *
 * @param entry pattern of one entry, without anchors
 * @param most the most entries
 */
export const commaListPattern = (entry: string, most?: number): string =>
  `^(?:${entry})(?:,(?:${entry}))${most === undefined ? '*' : `{0,${most - 1}}`}$`
