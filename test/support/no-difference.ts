/** The counts of a reconciliation that finds nothing. */
export const noDifference = { missing: 0, extra: 0, different: 0, rejected: 0, repaired: 0, dropped: 0 }
