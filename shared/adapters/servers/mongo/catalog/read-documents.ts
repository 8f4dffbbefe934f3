import { BSON, type Collection, type Document, type Filter, type FindOptions } from 'mongodb'

/** As the driver reads documents, but for regular expressions, of which MongoDB stores more kinds than JavaScript has. */
const reading: BSON.DeserializeOptions = { bsonRegExp: true, validation: { utf8: false } }

/** The member by which the driver knows the objects of its own types, and refuses to write others that have it. */
const driversMark = Buffer.from('_bsontype')

/**
 * Finds documents that any application may have written, one after the other. Each is read alone: the driver would fail
 * for all documents of an answer where it cannot read a value of one of them.
 */
export async function* readDocuments(
  collection: Collection,
  filter: Filter<Document>,
  options: FindOptions = {},
): AsyncGenerator<Document> {
  for await (const found of collection.find<Uint8Array>(filter, { ...options, raw: true })) {
    yield readDocument(found)
  }
}

/**
 * Reads the bytes of a document. A member that the driver cannot read, or could not write back, is undefined: a regular
 * expression with unknown options, an object with a member named `_bsontype`.
 */
function readDocument(bytes: Uint8Array): Document {
  const isPlain = !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(driversMark)
  return (isPlain ? tried(() => BSON.deserialize(bytes, reading)) : null) ?? readMembers(bytes)
}

function readMembers(bytes: Uint8Array): Document {
  const document: Document = {}
  for (const [, nameOffset, nameLength, offset, length] of BSON.onDemand.parseToElements(bytes)) {
    const element = bytes.subarray(nameOffset - 1, offset + length)
    const size = Buffer.alloc(4)
    size.writeInt32LE(element.length + 5)
    const member = tried(() => {
      const read = BSON.deserialize(Buffer.concat([size, element, Buffer.alloc(1)]), reading)
      BSON.serialize(read)
      return read
    })
    const name = Buffer.from(bytes.subarray(nameOffset, nameOffset + nameLength)).toString()
    // Not assigned: a member may have the name `__proto__`.
    const value = member === null ? undefined : Object.values(member)[0]
    Object.defineProperty(document, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return document
}

function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
