import { type AnyBulkWriteOperation, Binary, type Collection, type Db } from 'mongodb'
import { valuesByExactName } from '../../../../fields/field-values.js'
import { contentIn, type ReadContent } from '../../../../fields/skill-content.js'
import type { Client } from '../../../../ports/client.js'
import {
  type FoundById,
  type KeptText,
  maxPassages,
  maxWholeTexts,
  type Passage,
  type PassageQuery,
  type SkillContent,
  type SkillFiles,
  type SkillTexts,
  type WholeText,
  type WholeTextsQuery,
} from '../../../../ports/skill-texts.js'
import type { FieldNames } from '../../../../records/field-names.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { passagesOf } from '../../../../text/passage.js'
import { digestOf, packText, searchedText, type TextMode, textIn, unpackText } from '../../../../text/skill-text.js'
import { serverTime } from '../connection.js'
import { jobTime, QueryTime } from '../query-time.js'
import { findMetadata } from './catalog-metadata.js'
import { metadataField } from './document.js'
import { readDocuments } from './read-documents.js'

/** A text, packed, under its digest. */
interface Text {
  _id: string
  packed: Binary
}

/** The content of a skill, under its id. */
interface Content {
  _id: string
  /** The digest of the skill to which it belongs. */
  digest: string
  /** The id of its text. */
  text: string
  /** Packed JSON. */
  files: Binary
}

interface MongoSkillTextsOptions {
  /** Finds skills in any state. */
  findStored: (ids: string[]) => Promise<{ stored: unknown }[]>
  /** The fields in which documents of other applications have it; none: they have none. */
  names: Pick<FieldNames['skills'], 'skillMd' | 'files'>
  mode: TextMode
}

/** The texts of skills in the collections `texts` and `skill_texts`; see the port. */
export class MongoSkillTexts implements SkillTexts {
  readonly #db: Db
  readonly #texts: Collection<Text>
  readonly #contents: Collection<Content>
  readonly #skills: Collection
  readonly #options: MongoSkillTextsOptions

  constructor(db: Db, options: MongoSkillTextsOptions) {
    this.#db = db
    this.#texts = db.collection('texts')
    this.#contents = db.collection('skill_texts')
    this.#skills = db.collection('skills')
    this.#options = options
  }

  /** A text is written before, and looked for again after, the contents that name it: another program may drop it meanwhile. */
  async keepContents(given: SkillContent[]): Promise<void> {
    const ids = given.map(({ id }) => id)
    const stored = await this.#options.findStored(ids)
    const digests = digestsOf(stored.map((each) => each.stored as StoredSkill))
    const before = new Map((await this.#contents.find({ _id: { $in: ids } }).toArray()).map((kept) => [kept._id, kept]))
    const texts = new Map<string, Text>()
    const contents: Content[] = []
    for (const { id, digest, text, files } of given) {
      const content = { _id: id, digest, text: digestOf(text), files: new Binary(packText(JSON.stringify(files))) }
      if (digests.get(id) === digest && !isSame(before.get(id), content)) {
        texts.set(content.text, { _id: content.text, packed: new Binary(packText(text)) })
        contents.push(content)
      }
    }
    if (contents.length === 0) {
      return
    }
    await this.#insert([...texts.values()])
    await this.#contents.bulkWrite(
      contents.map(({ _id, ...content }) => ({
        replaceOne: { filter: { _id }, replacement: content, upsert: true },
      })),
    )
    await this.#insert(await this.#missing(texts))
    await this.#logAgain(contents.filter(({ _id, text }) => before.get(_id)?.text !== text).map(({ _id }) => _id))
    await this.#dropUnused(contents.flatMap(({ _id }) => before.get(_id)?.text ?? []))
  }

  /**
   * Drops the contents that these skills have no longer, as they are now.
   *
   * @param held ids of skills that were left as they are
   * @returns the number of those that have no digest, and are not removed
   */
  async dropOthers(skills: PresentSkill[], held: readonly string[] = []): Promise<number> {
    const digests = digestsOf(skills)
    for (const id of held) {
      digests.delete(id)
    }
    const kept = await this.#contents
      .find({ _id: { $in: [...digests.keys()] } }, { projection: { digest: 1, text: 1 } })
      .toArray()
    const others = kept.filter(({ _id, digest }) => digests.get(_id) !== digest)
    if (others.length > 0) {
      await this.#contents.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } })
      await this.#logAgain(others.map(({ _id }) => _id))
      await this.#dropUnused(others.map(({ text }) => text))
    }
    const without = new Set(skills.filter(({ digest, state }) => !digest && state !== 'removed').map(({ id }) => id))
    return others.filter(({ _id }) => without.has(_id)).length
  }

  async readText({ id, digest }: FoundById): Promise<KeptText | null> {
    const time = new QueryTime()
    const given = (await this.#contentsInDocuments([id], time)).get(id)
    if (given !== undefined && this.#options.mode !== 'off') {
      return this.#kept(given.text)
    }
    const content = await this.#contentOf(id, digest, time)
    const kept = content && (await this.#texts.findOne({ _id: content.text }, time.limit()))
    return kept && { text: unpackText(kept.packed.buffer), digest: kept._id }
  }

  /** A text of a document as it would be kept. */
  #kept(written: string): KeptText {
    const text = this.#options.mode === 'original' ? written : textIn('cleaned', written)
    return { text, digest: digestOf(text) }
  }

  async readTexts(skills: FoundById[], client?: Client): Promise<Map<string, string>> {
    const searched = new Map<string, string>()
    for await (const [ids, text] of this.#read(skills, client === undefined ? jobTime() : new QueryTime())) {
      const known = searchedText(text)
      for (const id of ids) {
        searched.set(id, known)
      }
    }
    return searched
  }

  async findPassages(skills: PassageQuery[]): Promise<Map<string, Passage>> {
    const texts: [id: string, text: string][] = []
    for await (const [ids, text] of this.#read(skills.slice(0, maxPassages), new QueryTime())) {
      texts.push(...ids.map((id): [string, string] => [id, text]))
    }
    return passagesOf(skills, texts)
  }

  /** The texts of skills, each once, with the ids that have it. */
  async *#read(skills: FoundById[], time: QueryTime): AsyncGenerator<[ids: string[], text: string]> {
    const ids = skills.map(({ id }) => id)
    const given = this.#options.mode === 'off' ? new Map() : await this.#contentsInDocuments(ids, time)
    for (const [id, { text }] of given) {
      yield [[id], text]
    }
    const digests = new Map(skills.map(({ id, digest }) => [id, digest]))
    const contents = this.#contents.find(
      { _id: { $in: ids.filter((id) => !given.has(id)) } },
      { projection: { digest: 1, text: 1 }, ...time.limit() },
    )
    const having = new Map<string, string[]>()
    for await (const { _id, digest, text } of contents) {
      if (digests.get(_id) === digest) {
        having.set(text, [...(having.get(text) ?? []), _id])
      }
    }
    for await (const { _id, packed } of this.#texts.find({ _id: { $in: [...having.keys()] } }, time.limit())) {
      yield [having.get(_id) ?? [], unpackText(packed.buffer)]
    }
  }

  async readWholeTexts(skills: FoundById[], { maxBytes, soleOnly }: WholeTextsQuery): Promise<Map<string, WholeText>> {
    const time = new QueryTime()
    const asked = new Map(skills.slice(0, maxWholeTexts).map(({ id, digest }) => [id, digest]))
    const found = new Map<string, WholeText>()
    const isRead = ({ files, total }: SkillFiles) => (!soleOnly || total === 1) && (files[0]?.size ?? 0) <= maxBytes
    if (this.#options.mode !== 'off') {
      for (const [id, { text: written, files }] of await this.#contentsInDocuments([...asked.keys()], time)) {
        const { text, digest } = this.#kept(written)
        found.set(id, { digest, text: isRead(files) ? text : null, isSole: files.total === 1 })
      }
    }
    const having = new Map<string, WholeText[]>()
    const others = { _id: { $in: [...asked.keys()].filter((id) => !found.has(id)) } }
    for await (const { _id, digest, text: id, files: packed } of this.#contents.find(others, time.limit())) {
      const files = JSON.parse(unpackText(packed.buffer)) as SkillFiles
      const whole: WholeText = { digest: id, text: null, isSole: files.total === 1 }
      if (asked.get(_id) === digest) {
        found.set(_id, whole)
        if (isRead(files)) {
          having.set(id, [...(having.get(id) ?? []), whole])
        }
      }
    }
    for await (const { _id, packed } of this.#texts.find({ _id: { $in: [...having.keys()] } }, time.limit())) {
      const text = unpackText(packed.buffer)
      for (const whole of having.get(_id) ?? []) {
        whole.text = text
      }
    }
    return found
  }

  async readFiles({ id, digest }: FoundById): Promise<SkillFiles | null> {
    const time = new QueryTime()
    const given = (await this.#contentsInDocuments([id], time)).get(id)
    const content = given === undefined ? await this.#contentOf(id, digest, time) : null
    return given?.files ?? (content && JSON.parse(unpackText(content.files.buffer)))
  }

  /** The contents that another application keeps in the documents of skills, by id. */
  async #contentsInDocuments(ids: string[], time: QueryTime): Promise<Map<string, ReadContent>> {
    const { skillMd, files } = this.#options.names
    const contents = new Map<string, ReadContent>()
    if (skillMd.length === 0) {
      return contents
    }
    const idField = `${metadataField}.id`
    const projection = Object.fromEntries([idField, ...skillMd, ...files].map((name) => [name, 1]))
    const options = { projection, ...time.limit() }
    for await (const document of readDocuments(this.#skills, { [idField]: { $in: ids } }, options)) {
      const { content } = contentIn(valuesByExactName(document, this.#options.names))
      const { id } = findMetadata(document)
      if (content !== null && id !== undefined) {
        contents.set(id, content)
      }
    }
    return contents
  }

  /** The content of a skill; null: it has none, or it is that of another digest. */
  async #contentOf(id: string, digest: string | null, time: QueryTime): Promise<Content | null> {
    return digest === null ? null : this.#contents.findOne({ _id: id, digest }, time.limit())
  }

  /** Marks the published ones of these skills as changed, so that the index reads their texts again. */
  async #logAgain(ids: string[]): Promise<void> {
    if (ids.length > 0) {
      const now = await serverTime(this.#db)
      await this.#skills.updateMany(
        // Not in a list, where MongoDB can set no member.
        {
          [`${metadataField}.id`]: { $in: ids },
          [`${metadataField}.state`]: 'published',
          [metadataField]: { $not: { $type: 'array' } },
        },
        { $set: { [`${metadataField}.pending`]: now, [`${metadataField}.textChanged`]: true } },
      )
    }
  }

  async #insert(texts: Text[]): Promise<void> {
    const writes = texts.map(
      ({ _id, packed }): AnyBulkWriteOperation<Text> => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: { packed } }, upsert: true },
      }),
    )
    if (writes.length > 0) {
      await this.#texts.bulkWrite(writes, { ordered: false })
    }
  }

  async #missing(texts: ReadonlyMap<string, Text>): Promise<Text[]> {
    const found = await this.#texts.find({ _id: { $in: [...texts.keys()] } }, { projection: { _id: 1 } }).toArray()
    const known = new Set(found.map(({ _id }) => _id))
    return [...texts.values()].filter(({ _id }) => !known.has(_id))
  }

  /** Drops those of these texts that no content names; one that is named while it is being dropped is written again. */
  async #dropUnused(digests: string[]): Promise<void> {
    const named = new Set(await this.#contents.distinct('text', { text: { $in: digests } }))
    const unused = { _id: { $in: digests.filter((digest) => !named.has(digest)) } }
    const dropped = await this.#texts.find(unused).toArray()
    if (dropped.length > 0) {
      await this.#texts.deleteMany(unused)
      const back = new Set(await this.#contents.distinct('text', { text: unused._id }))
      await this.#insert(dropped.filter(({ _id }) => back.has(_id)))
    }
  }
}

const isSame = (before: Content | undefined, { digest, text, files }: Content): boolean =>
  before?.digest === digest && before.text === text && Buffer.from(before.files.buffer).equals(files.buffer)

/** What a skill says of its content. */
type PresentSkill = Pick<StoredSkill, 'id' | 'state'> & { digest?: string | null }

/** The digests of skills by id; null: none, or it is removed. */
const digestsOf = (skills: PresentSkill[]): Map<string, string | null> =>
  new Map(skills.map(({ id, state, digest = null }) => [id, state === 'removed' ? null : digest]))
