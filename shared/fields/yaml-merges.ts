import { type Document, isAlias, isMap, isScalar, isSeq, type YAMLMap } from 'yaml'

/** The maximum number of merges into one map: what an alias names is looked for in the whole document. */
const maxMerges = 100

/**
 * The maps whose members a map of YAML has as well, by its keys `<<`, each once; in their order, in which the first member of
 * a name counts.
 *
 * @param merges their number so far, and the maps
 * @throws Error where there are too many
 * @see https://yaml.org/type/merge.html
 */
export function* mergedInto(
  map: YAMLMap,
  document: Document,
  merges = { count: 0, seen: new Set<unknown>([map]) },
): Generator<YAMLMap> {
  for (const pair of map.items.filter(({ key }) => isScalar(key) && key.value === '<<')) {
    for (const given of isSeq(pair.value) ? pair.value.items : [pair.value]) {
      merges.count += 1
      if (merges.count > maxMerges) {
        throw new Error(`more than ${maxMerges} maps are merged into one`)
      }
      const source = isAlias(given) ? given.resolve(document) : given
      if (isMap(source) && !merges.seen.has(source)) {
        merges.seen.add(source)
        yield source
        yield* mergedInto(source, document, merges)
      }
    }
  }
}
