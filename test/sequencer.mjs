import TestSequencer from '@jest/test-sequencer'

/** About how long a file of each folder takes, in seconds; one of any other folder takes one. */
const secondsIn = {
  relevance: 60,
  equality: 30,
  faults: 25,
  browser: 20,
  clients: 20,
  services: 20,
  contract: 15,
  cli: 12,
  docs: 10,
  infra: 10,
  properties: 10,
  standalone: 10,
  adapters: 5,
  jobs: 5,
  endpoints: 4,
}

/**
 * Begins with the files that take longest, so that no worker waits for one at the end. On a machine that has not run them
 * before, Jest would begin with the largest, but small files start servers.
 */
export default class LongestFirst extends TestSequencer {
  time(test) {
    const [, folder] = /\/test\/(\w+)\//.exec(test.path) ?? []
    return super.time(test) ?? (secondsIn[folder] ?? 1) * 1_000
  }
}
