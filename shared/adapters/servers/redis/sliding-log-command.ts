/**
 * The command of koa-ratelimit's Redis driver as a script: an exact sliding log of one client.
 *
 * Arguments: the window in milliseconds, the quota, and `1` for a peek that counts nothing. Returns the remaining
 * requests before this one (0: refused, and not counted), the milliseconds until a request is free, and the quota.
 * Differences to the driver's own script:
 *
 * - The time is the server's: instances with different clocks would clear each other's windows.
 * - The wait is in milliseconds, rounded up, so that `Retry-After` is never too short.
 * - An entry's name contains its time and place, so that two requests in the same microsecond are both counted.
 * - Entries from the future, written before the server's clock was set back, do not count: they would refuse the client
 *   until the clock has reached their times.
 * - The entry is written before old ones are removed: a full server refuses a script at its first write, and never after
 *   it.
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
