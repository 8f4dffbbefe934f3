import { type AppError, operatorError, unavailable } from '../../../../runtime/errors.js'

/** 503: there is no index that could answer. */
export const beingPrepared = (): AppError =>
  unavailable('search_unavailable', 'The search index is being built. Try again in a moment.', 5)

/** A damaged index loses no data: it is built from the records. */
export const indexDamaged = (path: string, cause: unknown): AppError =>
  operatorError(
    'index_damaged',
    `The search index in ${path} is damaged. Run npm run catalog -- rebuild, which builds it again from ` +
      'the records; if that fails too, follow its message.',
    cause,
  )
