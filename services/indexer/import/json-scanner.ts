// Ours, since of the kept parsers only stream-json holds no 300 MB string in memory (@streamparser/json does, jsonparse accepts
// `[1}`, clarinet `[01]`), and it names no place of a fault, refuses Python's NaN and is, by its README, not for hostile input.
import { parseJson } from '../../../shared/runtime/http-answers.js'
import { UnreadableSource } from './source.js'

/** Receives the structure of JSON text. Positions are in the text that is being scanned. */
export interface JsonListener {
  /**
   * An object or a list begins.
   *
   * @param depth the number of objects and lists around it
   * @param key its name when it is a member of an object
   */
  begin(position: number, isList: boolean, depth: number, key: string): void
  /** An object or a list has ended just before `position`. */
  end(position: number, depth: number): void
  /**
   * A string, a number, true, false or null has ended.
   *
   * @param key as of `begin`
   * @param value a string as it is written, a long one not whole
   */
  scalar(depth: number, key: string, value: unknown): void
  /** More objects and lists are open than the scanner keeps; until they are closed, only brackets are matched. */
  tooDeep(): void
}

/** The text of a string as the scanner has it. */
export const unescaped = (string: string): string => String(JSON.parse(`"${string}"`))

/** What may come next: its first characters, `0` for a number, true, false or null; and its name in messages. */
const expectations = {
  value: { kinds: '"[{0', name: 'a value' },
  valueOrEnd: { kinds: '"[{0]', name: 'a value or "]"' },
  key: { kinds: '"', name: 'a name in double quotes' },
  keyOrEnd: { kinds: '"}', name: 'a name in double quotes or "}"' },
  colon: { kinds: ':', name: '":"' },
  commaOrEnd: { kinds: ',]}', name: 'a comma or the closing bracket' },
}

/** What to do about a character that stands where none of its kind may, as in the JSON of programs that allow more. */
const remedies: Partial<Record<string, string>> = {
  ']': '. Remove the comma before it',
  '}': '. Remove the comma before it',
  '/': '. Remove the comments: JSON has none',
  "'": '. Write strings in double quotes',
  T: '. Write true in lower case',
  F: '. Write false in lower case',
}

/**
 * The next token, as far as it goes (RFC 8259, sections 2 and 7): the space before it; a structural character; or the text of a
 * string, and its closing quote or the begin of an escape; or a number, true, false or null.
 */
const token =
  /([ \t\r\n]*)(?:([[\]{}:,])|"([ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*)(?:(")|(\\(?:u[\da-fA-F]{0,3})?)|)|([-\dtfnNI][^\s,:"[\]{}]*)|)/y

/** A number, true, false or null (sections 3 and 6), or one that Python writes for a number that is none. */
const scalarForm = /^(?:true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** The maximum number of characters kept of a name or a number, which may be of any length. */
const maxKeptCharacters = 64

/** The maximum number of characters of a string that are kept until the next text: the rest of a longer one is not needed. */
const maxKeptText = 1_024

/**
 * Checks JSON text of any length, in chunks of any size, and reports the begin and end of its parts. It keeps only the
 * kinds of `maxDepth` open objects and lists. Several documents may follow each other.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export class JsonScanner {
  #expected: keyof typeof expectations = 'value'
  /** The open objects and lists, outermost first: whether each is a list. */
  readonly #open: boolean[] = []
  /** The number of open ones beyond `maxDepth`. */
  #deep = 0
  #key = ''
  /** The begin of a token that the next text completes. */
  #begun = ''
  /** Line ends before `#begun`, and characters between the last of them and it. */
  #lines = 0
  #column = 0

  constructor(
    private readonly listener: JsonListener,
    private readonly maxDepth: number,
  ) {}

  /** @throws UnreadableSource with line and column of the first character that is not JSON */
  scan(chunk: string): void {
    const text = this.#begun + chunk
    const before = this.#begun.length
    this.#begun = ''
    for (let position = 0; position < text.length && this.#begun === ''; ) {
      position = this.#take(text, position, before)
    }
    const [lines, column] = this.#placeOf(text, text.length)
    this.#lines = lines
    this.#column = column - this.#begun.length
  }

  /** @throws UnreadableSource when the text ends within a document */
  end(): void {
    const place = this.#describePlace(this.#begun, this.#begun.length)
    if (!this.#begun.startsWith('"')) {
      this.scan(' ')
    }
    if (this.#begun !== '' || this.#open.length > 0) {
      throw new UnreadableSource(`ends in the middle, in ${place}: the file is truncated`)
    }
  }

  /** Takes a token, or the begin of one at the end of the text. Returns its end. */
  #take(text: string, position: number, before: number): number {
    token.lastIndex = position
    const [, space = '', mark, string, quote, begunEscape = '', scalar] = token.exec(text) ?? []
    const start = position + space.length
    const end = token.lastIndex
    if (start === text.length) {
      return end
    }
    const kind = mark ?? (string === undefined ? (scalar === undefined ? ' ' : '0') : '"')
    const isInList = this.#open.at(-1) === true
    const { kinds, name } = expectations[this.#expected]
    if (kind === ' ' || (this.#deep === 0 && (!kinds.includes(kind) || kind === (isInList ? '}' : ']')))) {
      const isAfterComma = this.#expected === 'key' || (this.#expected === 'value' && isInList)
      const remedy = isAfterComma || !']}'.includes(kind) ? remedies[text.charAt(start)] : undefined
      this.#refuse(text, start, name, { remedy })
    }
    if (end === text.length && quote === undefined && mark === undefined) {
      // Of longer ones it is known that they go on.
      this.#begun =
        scalar?.slice(0, maxKeptCharacters + 1) ??
        `"${string && string.length > maxKeptText ? '…' : string}${begunEscape}`
      return end
    }
    if (string !== undefined && quote === undefined) {
      const escapes = 'one of " \\ / b f n r t after a backslash, or u and four hexadecimal digits'
      const remedy = /[\n\r\t]/.test(text.charAt(end))
        ? String.raw`. Write line ends and tabs in a text as \n and \t`
        : ''
      this.#refuse(text, end, begunEscape === '' ? 'the closing quote of a string' : escapes, { remedy })
    }
    if (this.#deep > 0) {
      this.#matchDeep(kind)
      return end
    }
    switch (kind) {
      case '[':
      case '{':
        this.#begin(start - before, kind === '[')
        break
      case ']':
      case '}':
        this.#open.pop()
        this.#expectNext()
        this.listener.end(end - before, this.#open.length)
        break
      case ',':
        this.#expected = isInList ? 'value' : 'key'
        break
      case ':':
        this.#expected = 'value'
        break
      case '"':
        this.#takeString(string ?? '')
        break
      default:
        this.#takeScalar(text, start, scalar ?? '')
    }
    return end
  }

  #begin(position: number, isList: boolean): void {
    if (this.#open.length === this.maxDepth) {
      this.listener.tooDeep()
      this.#deep = 1
    } else {
      this.listener.begin(position, isList, this.#open.length, this.#key)
      this.#open.push(isList)
      this.#expected = isList ? 'valueOrEnd' : 'keyOrEnd'
    }
  }

  #matchDeep(kind: string): void {
    this.#deep += kind === '[' || kind === '{' ? 1 : kind === ']' || kind === '}' ? -1 : 0
    if (this.#deep === 0) {
      this.#expectNext()
    }
  }

  #takeString(string: string): void {
    if (this.#expected.startsWith('key')) {
      this.#key = string.slice(0, maxKeptCharacters)
      this.#expected = 'colon'
    } else {
      this.#expectNext()
      this.listener.scalar(this.#open.length, this.#key, string)
    }
  }

  /** A longer one is left to the parser of the record. */
  #takeScalar(text: string, position: number, scalar: string): void {
    if (scalar.length <= maxKeptCharacters && !scalarForm.test(scalar)) {
      this.#refuse(text, position, 'a number, true, false or null', { found: scalar })
    }
    this.#expectNext()
    this.listener.scalar(this.#open.length, this.#key, /^[tfn]/.test(scalar) ? parseJson(scalar) : Number(scalar))
  }

  #expectNext(): void {
    this.#expected = this.#open.length === 0 ? 'value' : 'commaOrEnd'
  }

  /** The number of line ends before a position, and of characters after the last of them. */
  #placeOf(text: string, position: number): [lines: number, column: number] {
    const lines = text.slice(0, position).split('\n')
    const column = lines.at(-1)?.length ?? 0
    return lines.length === 1 ? [this.#lines, this.#column + column] : [this.#lines + lines.length - 1, column]
  }

  #describePlace(text: string, position: number): string {
    const [lines, column] = this.#placeOf(text, position)
    return `line ${lines + 1}, column ${column + 1}`
  }

  #refuse(
    text: string,
    position: number,
    expected: string,
    { found, remedy = '' }: { found?: string; remedy?: string | undefined } = {},
  ): never {
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0)
    throw new UnreadableSource(
      `is not valid JSON in ${this.#describePlace(text, position)}: expected ${expected}, found ${JSON.stringify(found ?? character)}${remedy}`,
    )
  }
}
