/**
 * The one command that koa-ratelimit's Redis driver sends, as a script: an exact sliding log of one client.
 *
 * Takes the window in milliseconds, the quota, and `1` for a mere look that counts nothing; answers requests left before this one (0: refused, and not
 * counted), the milliseconds until one is free, and the quota. Where it differs from the driver's own script:
 *
 * - Time is the server's: instances whose clocks disagree would else clear each other's windows.
 * - The wait comes in milliseconds, rounded up, so that a client is never told to return too early.
 * - An entry is named by its time and its place, so that two requests in the same microsecond are two.
 * - Entries from the future were noted by a server's clock that has since been set back. They do not count, since they
 *   would refuse a client until that clock has caught up.
 * - The entry is written before anything is removed: a server without memory refuses a script at its first write, and
 *   never after it.
 */
export const slidingLogCommand = {
  numberOfKeys: 1,
  lua: `
    local key = KEYS[1]
    local durationMicros = tonumber(ARGV[1]) * 1000
    local max = tonumber(ARGV[2])
    local peek = ARGV[3] == '1'
    local time = redis.call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local nowText = string.format('%.0f', now)

    local startText = '(' .. string.format('%.0f', now - durationMicros)

    local count = redis.call('ZCOUNT', key, startText, nowText)
    if count < max and not peek then
      redis.call('ZADD', key, nowText, nowText .. '-' .. count)
      redis.call('ZREMRANGEBYSCORE', key, '-inf', startText:sub(2))
      redis.call('ZREMRANGEBYSCORE', key, '(' .. nowText, '+inf')
      redis.call('PEXPIRE', key, ARGV[1])
    end

    local oldest = redis.call('ZRANGEBYSCORE', key, startText, nowText, 'WITHSCORES', 'LIMIT', 0, 1)
    local waitMs = math.ceil((tonumber(oldest[2] or nowText) + durationMicros - now) / 1000)
    return {math.max(0, max - count), waitMs, max}
  `,
}
