/**
 * The pattern of a comma list. It is documented as a string: generated clients would repeat the parameter for each
 * entry of an array.
 *
 * @param entry pattern of one entry, without anchors
 * @param maxEntries maximum number of entries; absent: no limit
 */
export const commaListPattern = (entry: string, maxEntries?: number): string =>
  `^(?:${entry})(?:,(?:${entry}))${maxEntries === undefined ? '*' : `{0,${maxEntries - 1}}`}$`
