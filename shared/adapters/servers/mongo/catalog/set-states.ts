import type { Document } from 'mongodb'
import type { StateChange, StateResult } from '../../../../ports/record-writer.js'
import { lifecycleFields } from '../../../../records/field-names.js'
import type { RecordType } from '../../../../records/records.js'
import { operatorError } from '../../../../runtime/errors.js'
import { inState } from '../../../../write-outcome.js'
import { writeUnordered } from '../bulk-write.js'
import { keyOf } from '../rows.js'
import {
  documentsById,
  isObject,
  isRecord,
  type Read,
  type RecordCollection,
  refuse,
  retryRefused,
  unchangedSince,
} from './contended-writes.js'
import { documentToStored } from './document.js'
import { readDocuments } from './read-documents.js'

/** Documents whose states are written at a time. */
const plansPerWrite = 500

/**
 * Sets the states of records; see the port. Writes only the state of a document, so that writes of other applications
 * are not lost.
 *
 * @returns what was set, and the `_id`s of the documents that were written
 * @throws AppError `records_contended` (503) when other programs keep changing a document; `state_not_set` when a
 *   document says otherwise in a member of an object
 */
export async function setStates<T extends RecordType>(
  target: RecordCollection<T>,
  changes: StateChange[],
): Promise<{ result: StateResult; written: unknown[] }> {
  const { type, settings, now } = target
  const wanted = new Map(changes.map((change) => [change.id, change]))
  const known = new Set<string>()
  const changed = new Set<string>()
  const written: unknown[] = []
  await retryRefused(async () => {
    const left: Read[] = []
    known.clear()
    let plans: StatePlan[] = []
    const carryOut = async () => {
      const done = await writeStates(target, plans)
      for (const plan of plans) {
        const { _id } = plan.before
        if (done.has(plan)) {
          changed.add(plan.id)
          written.push(_id)
        } else {
          left.push({ id: plan.id, before: { _id } })
        }
      }
      plans = []
    }
    for await (const { id, document } of documentsById(target, [...wanted.keys()])) {
      const change = wanted.get(id)
      const stored = documentToStored(type, document, settings)
      known.add(id)
      if (!isRecord(type, id, stored)) {
        left.push({ id, before: { _id: document['_id'] } })
      } else if (change !== undefined && inState(stored, change, now) !== null) {
        plans.push(planState(target, document, change, stored))
      }
      if (plans.length === plansPerWrite) {
        await carryOut()
      }
    }
    await carryOut()
    return left
  }, target)
  return { result: { changed: [...changed], unknown: [...wanted.keys()].filter((id) => !known.has(id)) }, written }
}

/** The planned write of the state of one document. */
interface StatePlan {
  id: string
  before: Document
  state: StateChange['state']
  update: Document
}

/** @returns the plans that were carried out: the others found that another application had written first */
async function writeStates<T extends RecordType>(
  { collection, type, settings }: RecordCollection<T>,
  plans: StatePlan[],
): Promise<Set<StatePlan>> {
  if (plans.length === 0) {
    return new Set()
  }
  const result = await writeUnordered(
    collection,
    plans.map(({ before, update }) => ({ updateOne: { filter: unchangedSince(before, type, settings), update } })),
  )
  refuse(type, result, (place) => plans[place]?.id)
  if (result.matched === plans.length) {
    return new Set(plans)
  }
  // The result does not say which: those are in the state of their plan.
  const identities = plans.map(({ before }) => before['_id'])
  const states = new Map<string, unknown>()
  for await (const found of readDocuments(collection, { _id: { $in: identities } })) {
    states.set(keyOf(found['_id']), documentToStored(type, found, settings)['state'])
  }
  return new Set(plans.filter(({ before, state }) => states.get(keyOf(before['_id'])) === state))
}

/** The update that gives a document a state, and unsets the other fields of its lifecycle. */
function planState<T extends RecordType>(
  { type, settings, now }: RecordCollection<T>,
  before: Document,
  change: StateChange,
  stored: Record<string, unknown>,
): StatePlan {
  const names: Record<string, readonly string[]> = settings.fields[type]
  const [stateName = 'state'] = names['state'] ?? []
  const [removedAtName = 'removedAt'] = names['removedAt'] ?? []
  const next = inState(stored, change, now)
  const set: Document = {
    [stateName]: change.state,
    ...(change.state === 'removed' ? { [removedAtName]: next?.removedAt } : {}),
  }
  const marked = { ...before, ...set }
  const without = (unwanted: string[]): Document =>
    Object.fromEntries(Object.entries(marked).filter(([name]) => !unwanted.includes(name)))
  const isSo = (document: Document) => documentToStored(type, document, settings)['state'] === change.state
  const others = lifecycleFields
    .flatMap((field) => names[field] ?? [])
    // An object has other members too.
    .filter((name) => before[name] !== undefined && !(name in set) && !isObject(before[name]))
  // Of the others, those that contradict each by itself.
  const unset = isSo(marked) ? [] : others.filter((name) => !isSo(without(others.filter((other) => other !== name))))
  const after = without(unset)
  const { state } = documentToStored(type, after, settings)
  if (state !== change.state) {
    throw operatorError(
      'state_not_set',
      `${change.id} stays ${state}: its document says so in a member of an object. Change the document in MongoDB.`,
    )
  }
  const removal = unset.length === 0 ? {} : { $unset: Object.fromEntries(unset.map((name) => [name, ''])) }
  return { id: change.id, before, state: change.state, update: { $set: set, ...removal } }
}
