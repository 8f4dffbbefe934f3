// Trains a table of token vectors: the sum of a text's vectors is to point where a model's vector of the text does.

/** What the table is to learn: the tokens of a text, and the direction of their sum, of unit length. */
export interface Lesson {
  tokens: Uint32Array
  target: Float32Array
}

export interface Training {
  /** How often each lesson comes. */
  passes: number
  /** The largest change of a number in a step; it falls to zero. */
  rate: number
  /** Numbers from 0 to below 1: equal ones make equal tables. */
  random: () => number
}

/** Lessons of one step. */
const batchSize = 256
/** How sharply a target is kept apart from the others of its step. */
const temperature = 0.2
/** Of Adam (https://arxiv.org/abs/1412.6980). */
const kept = { mean: 0.9, square: 0.99 }

/**
 * Moves the vectors by gradient descent: the cosine of a sum with its target is to be large, and larger than those with
 * the other targets of the step (InfoNCE, https://arxiv.org/abs/1807.03748).
 *
 * @param table a row of `dimensions` numbers for each token; it is changed
 */
export function trainTable(table: Float32Array, dimensions: number, lessons: Lesson[], training: Training): void {
  const { passes, rate, random } = training
  const means = new Float32Array(table.length)
  const squares = new Float32Array(table.length)
  const gradient = new Float32Array(table.length)
  const stepsPerPass = Math.floor(lessons.length / batchSize)
  for (let step = 0; step < passes * stepsPerPass; step += 1) {
    const place = step % stepsPerPass
    if (place === 0) {
      shuffle(lessons, random)
    }
    const batch = lessons.slice(place * batchSize, (place + 1) * batchSize)
    const largest = rate * (1 - step / (passes * stepsPerPass))
    for (const token of addGradients(table, dimensions, batch, gradient)) {
      for (let at = token * dimensions; at < (token + 1) * dimensions; at += 1) {
        const slope = numberAt(gradient, at)
        const mean = kept.mean * numberAt(means, at) + (1 - kept.mean) * slope
        const square = kept.square * numberAt(squares, at) + (1 - kept.square) * slope * slope
        table[at] = numberAt(table, at) - (largest * mean) / (Math.sqrt(square) + 1e-6)
        means[at] = mean
        squares[at] = square
        gradient[at] = 0
      }
    }
  }
}

/** Adds the gradient of the loss of a batch for each of its tokens, which it returns. */
function addGradients(table: Float32Array, dimensions: number, batch: Lesson[], gradient: Float32Array): Set<number> {
  const found = new Set<number>()
  const sum = new Float32Array(dimensions)
  const slope = new Float32Array(dimensions)
  const odds = new Float64Array(batch.length)
  for (const { tokens, target } of batch) {
    sum.fill(0)
    for (const token of tokens) {
      addTimes(sum, 0, table, token * dimensions, 1)
    }
    const length = Math.max(Math.sqrt(dot(sum, sum)), 1e-6)
    let total = 0
    for (const [place, other] of batch.entries()) {
      // At most e⁵: no need to subtract the largest.
      const likelihood = Math.exp(dot(sum, other.target) / length / temperature)
      odds[place] = likelihood
      total += likelihood
    }
    // The slope of both parts of the loss, by the direction of the sum.
    slope.fill(0)
    addTimes(slope, 0, target, 0, -1 - 1 / temperature)
    for (const [place, other] of batch.entries()) {
      addTimes(slope, 0, other.target, 0, numberAt(odds, place) / total / temperature)
    }
    // By the sum itself, whose length does not count.
    addTimes(slope, 0, sum, 0, -dot(slope, sum) / length ** 2)
    for (const token of tokens) {
      found.add(token)
      addTimes(gradient, token * dimensions, slope, 0, 1 / length, dimensions)
    }
  }
  return found
}

const numberAt = (numbers: Float32Array | Float64Array, at: number): number => numbers[at] as number

/** The sum of the products. Four at a time, since a sum of one at a time waits for itself. */
export function dot(left: Float32Array, right: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let at = 0; at < left.length; at += 4) {
    a += numberAt(left, at) * numberAt(right, at)
    b += numberAt(left, at + 1) * numberAt(right, at + 1)
    c += numberAt(left, at + 2) * numberAt(right, at + 2)
    d += numberAt(left, at + 3) * numberAt(right, at + 3)
  }
  return a + b + c + d
}

/** Adds a multiple of `count` numbers to those from `sumAt` on. */
export function addTimes(
  sum: Float32Array,
  sumAt: number,
  added: Float32Array,
  addedAt: number,
  times: number,
  count = sum.length,
): void {
  for (let at = 0; at < count; at += 1) {
    sum[sumAt + at] = numberAt(sum, sumAt + at) + numberAt(added, addedAt + at) * times
  }
}

/** Fisher and Yates. */
export function shuffle<Item>(items: Item[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1))
    const item = items[last] as Item
    items[last] = items[chosen] as Item
    items[chosen] = item
  }
}
