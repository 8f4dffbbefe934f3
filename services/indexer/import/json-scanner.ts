import { deepPart, endOf, endOfPlainText, escapeBeginning, escapeForm, scalarForm, scalarPart } from './json-lexemes.js'
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
   * @param value a string only by its first characters
   */
  scalar(depth: number, key: string, value: unknown): void
  /** More objects and lists are open than the scanner keeps; until they are closed, only brackets are matched. */
  tooDeep(): void
}

/** The lexeme that may come next. `document` is the space between documents. */
type Expectation = 'document' | 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd'
type State = 'between' | 'string' | 'escape' | 'scalar' | 'deep'

const expectedText: Record<Expectation, string> = {
  document: 'a value',
  value: 'a value',
  valueOrEnd: 'a value or "]"',
  key: 'a name in double quotes',
  keyOrEnd: 'a name in double quotes or "}"',
  colon: '":"',
  commaOrEnd: 'a comma or the closing bracket',
}

/** The maximum number of characters kept of a member's name or a number, which may be of any length. */
const maxKeptCharacters = 64

/** The value of a number, true, false or null. */
const scalarValue = (scalar: string): unknown =>
  scalar === 'true' || scalar === 'false' ? scalar === 'true' : scalar === 'null' ? null : Number(scalar)

/**
 * Checks JSON text of any length, in chunks of any size, and reports the begin and end of its parts. It keeps only the
 * kinds of `maxDepth` open objects and lists. Several documents may follow each other.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export class JsonScanner {
  #state: State = 'between'
  #expected: Expectation = 'document'
  /** The open objects and lists, outermost first: whether each is a list. */
  readonly #open: boolean[] = []
  /** The number of open ones beyond `maxDepth`. */
  #deep = 0
  #inKey = false
  #key = ''
  /** The scanned part of an escape, of a number, true, false or null, and the begin of a string. */
  #escape = ''
  #scalar = ''
  #line = 1
  /** Characters scanned before the current text, and before the current line. */
  #scanned = 0
  #lineStart = 0

  constructor(
    private readonly listener: JsonListener,
    private readonly maxDepth: number,
  ) {}

  /** @throws UnreadableSource with line and column of the first character that is not JSON */
  scan(text: string): void {
    for (let position = 0; position < text.length; ) {
      position = this.#step(text, position)
    }
    this.#scanned += text.length
  }

  /** @throws UnreadableSource when the text ends within a document */
  end(): void {
    if (this.#state === 'scalar') {
      this.#endScalar(0)
    }
    if (this.#state !== 'between' || this.#open.length > 0) {
      throw new UnreadableSource(`ends in the middle, in ${this.#place(0)}: the file is truncated`)
    }
  }

  /** Scans at least one character, or changes the state. Returns the position after it. */
  #step(text: string, position: number): number {
    switch (this.#state) {
      case 'between':
        return this.#takeStructure(text, position)
      case 'string':
        return this.#takeString(text, position)
      case 'escape':
        return this.#takeEscape(text, position)
      case 'scalar':
        return this.#takeScalar(text, position)
      case 'deep':
        return this.#takeDeep(text, position)
    }
  }

  #takeStructure(text: string, position: number): number {
    const character = text[position] ?? ''
    if (/[ \t\r\n]/.test(character)) {
      this.#noteLineEnd(character, position)
      return position + 1
    }
    switch (this.#expected) {
      case 'colon':
        this.#expected = character === ':' ? 'value' : this.#refuse(text, position)
        return position + 1
      case 'commaOrEnd':
        if (character === ',') {
          this.#expected = this.#open.at(-1) === true ? 'value' : 'key'
          return position + 1
        }
        return this.#takeEnd(text, position)
      case 'key':
      case 'keyOrEnd':
        if (character === '"') {
          this.#beginString(true)
          return position + 1
        }
        return this.#expected === 'key' ? this.#refuse(text, position) : this.#takeEnd(text, position)
      case 'valueOrEnd':
        return character === ']' ? this.#takeEnd(text, position) : this.#takeValue(text, position)
      default:
        return this.#takeValue(text, position)
    }
  }

  #takeValue(text: string, position: number): number {
    const character = text[position] ?? ''
    if (character === '{' || character === '[') {
      this.#begin(position, character === '[')
    } else if (character === '"') {
      this.#beginString(false)
    } else if (/[-\dtfnNI]/.test(character)) {
      this.#state = 'scalar'
      this.#scalar = ''
      return position
    } else {
      this.#refuse(text, position)
    }
    return position + 1
  }

  #begin(position: number, isList: boolean): void {
    if (this.#open.length === this.maxDepth) {
      this.listener.tooDeep()
      this.#deep = 1
      this.#state = 'deep'
      return
    }
    this.listener.begin(position, isList, this.#open.length, this.#key)
    this.#open.push(isList)
    this.#expected = isList ? 'valueOrEnd' : 'keyOrEnd'
  }

  #takeEnd(text: string, position: number): number {
    if (text[position] !== (this.#open.at(-1) ? ']' : '}')) {
      this.#refuse(text, position)
    }
    this.#open.pop()
    this.listener.end(position + 1, this.#open.length)
    this.#expectNext()
    return position + 1
  }

  #beginString(isKey: boolean): void {
    this.#state = 'string'
    this.#inKey = isKey
    this.#key = isKey ? '' : this.#key
    this.#scalar = ''
  }

  #takeString(text: string, position: number): number {
    const end = endOfPlainText(text, position)
    if (this.#inKey && this.#key.length < maxKeptCharacters) {
      this.#key += text.slice(position, end)
    } else if (this.#scalar === '') {
      this.#scalar = text.slice(position, Math.min(end, position + maxKeptCharacters))
    }
    switch (text[end]) {
      case undefined:
        return end
      case '"':
        this.#endString()
        return end + 1
      case '\\':
        this.#state = 'escape'
        this.#escape = ''
        return end + 1
      default:
        return this.#refuse(text, end, 'the closing quote of a string')
    }
  }

  #endString(): void {
    if (this.#deep > 0) {
      this.#state = 'deep'
    } else if (this.#inKey) {
      this.#state = 'between'
      this.#expected = 'colon'
    } else {
      this.#expectNext()
      this.listener.scalar(this.#open.length, this.#key, this.#scalar)
    }
  }

  #takeEscape(text: string, position: number): number {
    this.#escape += text[position]
    if (escapeForm.test(this.#escape)) {
      this.#state = 'string'
    } else if (!escapeBeginning.test(this.#escape)) {
      this.#refuse(text, position, 'one of " \\ / b f n r t after a backslash, or u and four hexadecimal digits')
    }
    return position + 1
  }

  #takeScalar(text: string, position: number): number {
    const end = endOf(scalarPart, text, position)
    if (this.#scalar.length < maxKeptCharacters) {
      this.#scalar += text.slice(position, Math.min(end, position + maxKeptCharacters))
    }
    if (end < text.length) {
      this.#endScalar(end)
    }
    return end
  }

  #takeDeep(text: string, position: number): number {
    const end = endOf(deepPart, text, position)
    const character = text[end] ?? ''
    if (character === '"') {
      this.#beginString(false)
    } else if (character === '[' || character === '{') {
      this.#deep += 1
    } else if (character === ']' || character === '}') {
      this.#deep -= 1
      if (this.#deep === 0) {
        this.#expectNext()
      }
    } else {
      this.#noteLineEnd(character, end)
    }
    return end + 1
  }

  /** A longer one is left to the parser of the record. */
  #endScalar(position: number): void {
    if (this.#scalar.length < maxKeptCharacters && !scalarForm.test(this.#scalar)) {
      this.#fail(position - this.#scalar.length, 'a number, true, false or null', this.#scalar)
    }
    this.#expectNext()
    this.listener.scalar(this.#open.length, this.#key, scalarValue(this.#scalar))
  }

  #expectNext(): void {
    this.#state = 'between'
    this.#expected = this.#open.length === 0 ? 'document' : 'commaOrEnd'
  }

  #noteLineEnd(character: string, position: number): void {
    if (character === '\n') {
      this.#line += 1
      this.#lineStart = this.#scanned + position + 1
    }
  }

  #place(position: number): string {
    return `line ${this.#line}, column ${this.#scanned + position - this.#lineStart + 1}`
  }

  #refuse(text: string, position: number, expected = expectedText[this.#expected]): never {
    return this.#fail(position, expected, String.fromCodePoint(text.codePointAt(position) ?? 0))
  }

  #fail(position: number, expected: string, found: string): never {
    throw new UnreadableSource(
      `is not valid JSON in ${this.#place(position)}: expected ${expected}, found ${JSON.stringify(found)}`,
    )
  }
}
