import { type AnyBulkWriteOperation, Binary, type Collection, type Db } from 'mongodb'
import type { ReadContent } from '../../../../fields/skill-content.js'
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
import { passagesOf } from '../../../../ranking/passage.js'
import { digestOf, packText, searchedText, type TextMode, textAsKept, unpackText } from '../../../../text/skill-text.js'
import { jobTime, QueryTime } from '../connection.js'
import { type Row, rowsOf } from '../rows.js'

/** A text, packed, under its digest. */
interface Text {
  _id: string
  packed: Binary
}

/** The content of a skill, under its id. */
interface Content {
  _id: string
  /** The digest of the skill to which it belongs; `inDocument` for one that another application keeps in the document. */
  digest: string
  /** The id of its text. */
  text: string
  /** Packed JSON. */
  files: Binary
}

/** What a content is known by. */
export type ContentName = Omit<Content, 'files'>

/** Marks a content that belongs to its skill by its document, and not by a digest. */
const inDocument = ''

/** A skill as a document has it. */
type SkillInDocument = { id: string | null; state: Row['state']; skillMd: string | null; content: ReadContent | null }

/** The texts of skills in the collections `texts` and `skill_texts`; see the port. */
export class MongoSkillTexts implements Omit<SkillTexts, 'keepContents'> {
  readonly #texts: Collection<Text>
  readonly #contents: Collection<Content>
  readonly #rows: Collection<Row>
  readonly #mode: TextMode
  readonly #areInDocuments: boolean

  /** @param areInDocuments whether documents of other applications have texts */
  constructor(db: Db, mode: TextMode, areInDocuments: boolean) {
    this.#texts = db.collection('texts')
    this.#contents = db.collection('skill_texts')
    this.#rows = rowsOf(db, 'skills')
    this.#mode = mode
    this.#areInDocuments = areInDocuments
  }

  /** Keeps contents; see the port. @returns the `_id`s of the documents of skills whose text this has changed */
  async keepContents(given: SkillContent[]): Promise<unknown[]> {
    const filter = { _id: { $in: given.map(({ id }) => id) }, state: { $nin: ['removed' as const, 'gone' as const] } }
    const rows = await this.#rows.find(filter, { projection: { skillMd: 1, source: 1 } }).toArray()
    const byId = new Map(rows.map((row) => [row._id, row]))
    const changed = await this.#keep(
      given
        .filter(({ id, digest }) => byId.get(id)?.skillMd === digest)
        .map(({ id, digest, text, files }) => ({ _id: id, digest, text, files })),
    )
    return changed.flatMap((id) => byId.get(id)?.source ?? [])
  }

  /**
   * Keeps the contents that come with documents.
   *
   * @returns the digests of the texts that these skills have, by id, and the contents that are theirs no longer
   */
  async keepOfDocuments(skills: SkillInDocument[]): Promise<{ digests: Map<string, string>; stale: ContentName[] }> {
    const digests = new Map<string, string>()
    if (skills.length === 0) {
      return { digests, stale: [] }
    }
    const having = skills.filter(({ state, content }) => state === 'published' && content !== null)
    const kept = new Map(this.#mode === 'off' ? [] : having.map((skill) => [String(skill.id), skill]))
    await this.#keep([...kept].map(([_id, { content }]) => ({ _id, digest: inDocument, ...this.#ofDocument(content) })))
    const byId = new Map(skills.map((skill) => [skill.id, skill]))
    const isOf = ({ _id, digest }: ContentName) =>
      digest === inDocument
        ? !this.#areInDocuments || kept.has(_id)
        : byId.get(_id)?.skillMd === digest && byId.get(_id)?.state !== 'removed'
    const found = await this.#find({ _id: { $in: skills.flatMap(({ id }) => id ?? []) } })
    for (const content of found.filter(isOf)) {
      digests.set(content._id, content.text)
    }
    return { digests, stale: found.filter((content) => !isOf(content)) }
  }

  /** The text of a document as it is kept. */
  #ofDocument(content: ReadContent | null): { text: string; files: SkillFiles } {
    const { text = '', files = { files: [], total: 0 } } = content ?? {}
    return { text: this.#mode === 'original' ? text : textAsKept('cleaned', text), files }
  }

  /** Drops the contents of skills that are gone, and others that no skill has. */
  async drop(ids: string[], stale: ContentName[]): Promise<void> {
    const contents = ids.length === 0 ? stale : [...stale, ...(await this.#find({ _id: { $in: ids } }))]
    if (contents.length > 0) {
      await this.#contents.deleteMany({ _id: { $in: contents.map(({ _id }) => _id) } })
      await this.#dropUnused(contents.map(({ text }) => text))
    }
  }

  /** The number of these skills that have a content by a digest. */
  async countOf(ids: string[]): Promise<number> {
    return ids.length === 0 ? 0 : this.#contents.countDocuments({ _id: { $in: ids }, digest: { $ne: inDocument } })
  }

  #find(filter: object): Promise<ContentName[]> {
    return this.#contents.find(filter, { projection: { digest: 1, text: 1 } }).toArray()
  }

  /**
   * A text is written before, and looked for again after, the contents that name it: another program may drop it meanwhile.
   *
   * @returns the ids of those that have another text now
   */
  async #keep(given: { _id: string; digest: string; text: string; files: SkillFiles }[]): Promise<string[]> {
    const ids = given.map(({ _id }) => _id)
    const before = new Map((await this.#contents.find({ _id: { $in: ids } }).toArray()).map((kept) => [kept._id, kept]))
    const texts = new Map<string, Text>()
    const contents: Content[] = []
    for (const { _id, digest, text, files } of given) {
      const content = { _id, digest, text: digestOf(text), files: new Binary(packText(JSON.stringify(files))) }
      if (!isSame(before.get(_id), content)) {
        texts.set(content.text, { _id: content.text, packed: new Binary(packText(text)) })
        contents.push(content)
      }
    }
    if (contents.length === 0) {
      return []
    }
    await this.#insert([...texts.values()])
    await this.#contents.bulkWrite(
      contents.map(({ _id, ...content }) => ({
        replaceOne: { filter: { _id }, replacement: content, upsert: true },
      })),
    )
    await this.#insert(await this.#missing(texts))
    await this.#dropUnused(contents.flatMap(({ _id }) => before.get(_id)?.text ?? []))
    return contents.filter(({ _id, text }) => before.get(_id)?.text !== text).map(({ _id }) => _id)
  }

  async readText({ id, digest }: FoundById): Promise<KeptText | null> {
    const time = new QueryTime()
    const content = await this.#contentOf(id, digest, time)
    const kept = content && (await this.#texts.findOne({ _id: content.text }, time.limit()))
    return kept && { text: unpackText(kept.packed.buffer), digest: kept._id }
  }

  async readTexts(skills: FoundById[]): Promise<Map<string, string>> {
    const searched = new Map<string, string>()
    for await (const [ids, text] of this.#read(skills, jobTime())) {
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
    const digests = new Map(skills.map(({ id, digest }) => [id, digest]))
    const contents = this.#contents.find({ _id: { $in: ids } }, { projection: { digest: 1, text: 1 }, ...time.limit() })
    const having = new Map<string, string[]>()
    for await (const { _id, digest, text } of contents) {
      if (digest === inDocument || digests.get(_id) === digest) {
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
    const having = new Map<string, WholeText[]>()
    for await (const { _id, digest, text: id, files: packed } of this.#contents.find(
      { _id: { $in: [...asked.keys()] } },
      time.limit(),
    )) {
      const files = JSON.parse(unpackText(packed.buffer)) as SkillFiles
      const whole: WholeText = { digest: id, text: null, isSole: files.total === 1 }
      if (digest === inDocument || asked.get(_id) === digest) {
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
    const content = await this.#contentOf(id, digest, new QueryTime())
    return content && JSON.parse(unpackText(content.files.buffer))
  }

  /** The content of a skill; null: it has none, or it is that of another digest. */
  async #contentOf(id: string, digest: string | null, time: QueryTime): Promise<Content | null> {
    return this.#contents.findOne({ _id: id, digest: { $in: [digest ?? inDocument, inDocument] } }, time.limit())
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

  /** Drops the texts that no content names any more; a text that is named meanwhile is written again. */
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
