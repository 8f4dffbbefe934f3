/** The record of a job whose last run failed, and that has never succeeded. */
export const aFailedRun = {
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  outcome: 'failed',
  result: null,
  error: 'the disk is full',
  lastSucceededAt: null,
} as const
