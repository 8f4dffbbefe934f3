/** A check of `catalog doctor --json`. */
export interface Check {
  name: string
  state: string
  detail: string
  remedy: string | null
}

/** All checks of a result. */
export const checksIn = (json: Record<string, unknown>): Check[] => json['checks'] as Check[]

/** The checks that are not fine. */
export const findingsIn = (json: Record<string, unknown>): Check[] =>
  checksIn(json).filter(({ state }) => state !== 'fine')
