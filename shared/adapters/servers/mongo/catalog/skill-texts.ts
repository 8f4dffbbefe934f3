import { type AnyBulkWriteOperation, Binary, type Db, type Document } from 'mongodb'
import type { ReadContent } from '../../../../fields/skill-content.js'
import {
  type FoundById,
  maxPassages,
  maxWholeTexts,
  type SkillContent,
  type SkillFiles,
  type SkillTexts,
  type WholeText,
} from '../../../../ports/skill-texts.js'
import { passagesOf } from '../../../../ranking/passage.js'
import type { StoredSkill } from '../../../../records/skill.js'
import { digestOf, packText, searchedText, type TextMode, textAsKept, unpackText } from '../../../../text/skill-text.js'
import { jobTime, QueryTime } from '../connection.js'
import type { Row } from '../rows.js'

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
type ContentName = Omit<Content, 'files'>

/** The ids of skills that have another text now, and of those that had no content before. */
interface Kept {
  changed: string[]
  added: string[]
}

/** Marks a content that belongs to its skill by its document, and not by a digest. */
const inDocument = ''

/** The members of a content by which it is known. */
const nameOnly = { digest: 1, text: 1 }

/** A skill as a document has it. */
type SkillInDocument = { id: string | null; state: Row['state']; skillMd: string | null; content: ReadContent | null }

export type MongoSkillTexts = ReturnType<typeof skillTexts>

/**
 * The texts of skills in the collections `texts` and `skill_texts`: the reads of the port, and what writes need.
 *
 * @param areInDocuments whether documents of other applications have texts
 */
export function skillTexts(db: Db, mode: TextMode, areInDocuments: boolean) {
  const allTexts = db.collection<Text>('texts')
  const allContents = db.collection<Content>('skill_texts')
  const reads: SkillTexts = {
    async readText({ id, digest }) {
      const time = new QueryTime()
      const content = await contentOf(id, digest, time)
      const kept = content && (await allTexts.findOne({ _id: content.text }, time.limit()))
      return kept && { text: unpackText(kept.packed.buffer), digest: kept._id }
    },

    async readTexts(skills) {
      const searched = new Map<string, string>()
      for await (const [ids, text] of readEach(skills, jobTime())) {
        const known = searchedText(text)
        for (const id of ids) {
          searched.set(id, known)
        }
      }
      return searched
    },

    async findPassages(skills) {
      const texts: [id: string, text: string][] = []
      for await (const [ids, text] of readEach(skills.slice(0, maxPassages), new QueryTime())) {
        texts.push(...ids.map((id): [string, string] => [id, text]))
      }
      return passagesOf(skills, texts)
    },

    async readWholeTexts(skills, { maxBytes, soleOnly }) {
      const time = new QueryTime()
      const found = new Map<string, WholeText>()
      const isRead = ({ files, total }: SkillFiles) => (!soleOnly || total === 1) && (files[0]?.size ?? 0) <= maxBytes
      const having = new Map<string, WholeText[]>()
      for await (const { _id, text: id, files: packed } of contentsOf(skills.slice(0, maxWholeTexts), {}, time)) {
        const files = JSON.parse(unpackText(packed.buffer)) as SkillFiles
        const whole: WholeText = { digest: id, text: null, isSole: files.total === 1 }
        found.set(_id, whole)
        if (isRead(files)) {
          having.set(id, [...(having.get(id) ?? []), whole])
        }
      }
      for await (const [wholes, text] of textsOf(having, time)) {
        for (const whole of wholes) {
          whole.text = text
        }
      }
      return found
    },

    async readFiles({ id, digest }) {
      const content = await contentOf(id, digest, new QueryTime())
      return content && JSON.parse(unpackText(content.files.buffer))
    },
  }

  /** The texts of skills, each once, with the ids that have it. */
  async function* readEach(skills: FoundById[], time: QueryTime): AsyncGenerator<[ids: string[], text: string]> {
    const having = new Map<string, string[]>()
    for await (const { _id, text } of contentsOf(skills, nameOnly, time)) {
      having.set(text, [...(having.get(text) ?? []), _id])
    }
    yield* textsOf(having, time)
  }

  /** The contents of these skills, without those of another digest. */
  async function* contentsOf(skills: FoundById[], projection: Document, time: QueryTime): AsyncGenerator<Content> {
    const digests = new Map(skills.map(({ id, digest }) => [id, digest]))
    for await (const content of allContents.find(
      { _id: { $in: [...digests.keys()] } },
      { projection, ...time.limit() },
    )) {
      if (content.digest === inDocument || digests.get(content._id) === content.digest) {
        yield content
      }
    }
  }

  /** The texts with these ids, each with what has it. */
  async function* textsOf<T>(
    having: ReadonlyMap<string, T[]>,
    time: QueryTime,
  ): AsyncGenerator<[having: T[], text: string]> {
    for await (const { _id, packed } of allTexts.find({ _id: { $in: [...having.keys()] } }, time.limit())) {
      yield [having.get(_id) ?? [], unpackText(packed.buffer)]
    }
  }

  /** The content of a skill; null: it has none, or it is that of another digest. */
  const contentOf = (id: string, digest: string | null, time: QueryTime): Promise<Content | null> =>
    allContents.findOne({ _id: id, digest: { $in: [digest ?? inDocument, inDocument] } }, time.limit())

  /** Keeps the contents that come with records; see the port. */
  function keepContents(given: SkillContent[], skills: Pick<StoredSkill, 'id' | 'digest' | 'state'>[]): Promise<Kept> {
    const byId = new Map(skills.map((skill) => [skill.id, skill]))
    const isOf = ({ id, digest }: SkillContent) => byId.get(id)?.digest === digest && byId.get(id)?.state !== 'removed'
    return keep(given.filter(isOf).map(({ id, ...content }) => ({ _id: id, ...content })))
  }

  /**
   * Keeps the contents that come with documents.
   *
   * @returns the digests of the texts that these skills have, by id, and the contents that are theirs no longer
   */
  async function keepOfDocuments(
    skills: SkillInDocument[],
  ): Promise<{ digests: Map<string, string>; stale: ContentName[] }> {
    const digests = new Map<string, string>()
    if (skills.length === 0) {
      return { digests, stale: [] }
    }
    const having = skills.filter(({ state, content }) => state === 'published' && content !== null)
    const kept = new Map(mode === 'off' ? [] : having.map((skill) => [String(skill.id), skill]))
    await keep([...kept].map(([_id, { content }]) => ({ _id, digest: inDocument, ...keptOf(content) })))
    const byId = new Map(skills.map((skill) => [skill.id, skill]))
    const isOf = ({ _id, digest }: ContentName) =>
      digest === inDocument
        ? !areInDocuments || kept.has(_id)
        : byId.get(_id)?.skillMd === digest && byId.get(_id)?.state !== 'removed'
    const found = await find({ _id: { $in: skills.flatMap(({ id }) => id ?? []) } })
    for (const content of found.filter(isOf)) {
      digests.set(content._id, content.text)
    }
    return { digests, stale: found.filter((content) => !isOf(content)) }
  }

  /** The text of a document as it is kept. */
  function keptOf(content: ReadContent | null): { text: string; files: SkillFiles } {
    const { text = '', files = { files: [], total: 0 } } = content ?? {}
    return { text: mode === 'original' ? text : textAsKept('cleaned', text), files }
  }

  /** Drops the contents of skills that are gone, and others that no skill has. */
  async function drop(ids: string[], stale: ContentName[]): Promise<void> {
    const contents = ids.length === 0 ? stale : [...stale, ...(await find({ _id: { $in: ids } }))]
    if (contents.length > 0) {
      await allContents.deleteMany({ _id: { $in: contents.map(({ _id }) => _id) } })
      await dropUnused(contents.map(({ text }) => text))
    }
  }

  /** The number of these skills that have a content by a digest. */
  async function countOf(ids: string[]): Promise<number> {
    return ids.length === 0 ? 0 : allContents.countDocuments({ _id: { $in: ids }, digest: { $ne: inDocument } })
  }

  function find(filter: object): Promise<ContentName[]> {
    return allContents.find(filter, { projection: nameOnly }).toArray()
  }

  /**
   * A text is written before, and looked for again after, the contents that name it: another program may drop it meanwhile.
   */
  async function keep(given: { _id: string; digest: string; text: string; files: SkillFiles }[]): Promise<Kept> {
    const ids = given.map(({ _id }) => _id)
    const before = new Map((await allContents.find({ _id: { $in: ids } }).toArray()).map((kept) => [kept._id, kept]))
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
      return { changed: [], added: [] }
    }
    await insert([...texts.values()])
    const { upsertedIds } = await allContents.bulkWrite(
      contents.map(({ _id, ...content }) => ({
        replaceOne: { filter: { _id }, replacement: content, upsert: true },
      })),
    )
    await insert(await missing(texts))
    await dropUnused(contents.flatMap(({ _id }) => before.get(_id)?.text ?? []))
    const changed = contents.filter(({ _id, text }) => before.get(_id)?.text !== text).map(({ _id }) => _id)
    return { changed, added: Object.values(upsertedIds) }
  }

  async function insert(texts: Text[]): Promise<void> {
    const writes = texts.map(
      ({ _id, packed }): AnyBulkWriteOperation<Text> => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: { packed } }, upsert: true },
      }),
    )
    if (writes.length > 0) {
      await allTexts.bulkWrite(writes, { ordered: false })
    }
  }

  async function missing(texts: ReadonlyMap<string, Text>): Promise<Text[]> {
    const found = await allTexts.find({ _id: { $in: [...texts.keys()] } }, { projection: { _id: 1 } }).toArray()
    const known = new Set(found.map(({ _id }) => _id))
    return [...texts.values()].filter(({ _id }) => !known.has(_id))
  }

  /** Drops the texts that no content names any more; a text that is named meanwhile is written again. */
  async function dropUnused(digests: string[]): Promise<void> {
    const named = new Set(await allContents.distinct('text', { text: { $in: digests } }))
    const unused = { _id: { $in: digests.filter((digest) => !named.has(digest)) } }
    const dropped = await allTexts.find(unused).toArray()
    if (dropped.length > 0) {
      await allTexts.deleteMany(unused)
      const back = new Set(await allContents.distinct('text', { text: unused._id }))
      await insert(dropped.filter(({ _id }) => back.has(_id)))
    }
  }

  return { reads, keepContents, keepOfDocuments, drop, countOf }
}

const isSame = (before: Content | undefined, { digest, text, files }: Content): boolean =>
  before?.digest === digest && before.text === text && Buffer.from(before.files.buffer).equals(files.buffer)
