import { unitVector } from '../../embedding/built-in-embedder.js'
import type { Embedder, TextPurpose, Vector } from '../../ports/embedder.js'

/** Texts of different kinds, subjects and languages, whose mean vector says what all vectors of a model have in common. */
export const usualTexts: readonly string[] = [
  'pdf-tables. Extracts tables from PDF files and writes them as CSV. pdf, tables',
  'How do I reset a forgotten password?',
  'meal-planner. Plans dinners for the week and writes a shopping list. cooking',
  'Deploys a web service to a Kubernetes cluster and rolls it back when a check fails. kubernetes, deployment',
  'Translate this letter into French and keep the tone polite.',
  'unit tests for a Python module',
  'Reviews a pull request for security holes, naming each line and how to repair it. security, code review',
  'weather. Reports the forecast for a town and warns of storms.',
  'Draws diagrams of software architecture from a description. diagrams, architecture',
  'Summarises long videos and podcasts into notes with the times of each part. audio, video',
  'contract law: find the clauses on liability and termination',
  'Transactions of a bank account are sorted into categories, and a budget is kept. finance',
  'Manage tasks and reminders in a calendar shared by a family',
  'Speeds up slow SQL queries by reading their plans and proposing indexes. database, postgresql',
  'Writes product descriptions and posts for social media in the voice of a brand. marketing',
  'Trains a small neural network to recognise images of plants. machine learning',
  'Solidity contracts are checked for reentrancy and overflow. blockchain',
  'Resize, crop and compress pictures for a website',
  'commit messages and changelogs from a git history',
  'Aide à rédiger un courriel professionnel. courrier',
  'Erstellt aus Messdaten einen Bericht mit Diagrammen. Statistik',
  'Buscar vuelos baratos y comparar precios. viajes',
  'Готовит план тренировок для бегунов. спорт',
  '自动生成会议纪要并提取待办事项。 会议',
  '日本語の文章を校正し、読みやすくします。 文章',
  '한국어 자막을 동영상에 추가합니다. 자막',
  'Controls lights and heating at home by voice. smart home',
  'A command line tool that renames many files by a pattern',
  'Explains an error message and a stack trace, and how to fix it. debugging',
  'Teaches mathematics to children with small exercises. education',
  'Finds papers on a subject and cites them. research, science',
  'Builds a game with sprites, sound and a score. games',
]

/**
 * An embedder without what the vectors of all texts have in common: those of some models have a cosine of 0.8 with each
 * other even where the texts say different things, and what they say is in the rest. Where a model has no such part,
 * nothing changes (Mu and Viswanath: All-but-the-Top, 2018, removes the mean and more).
 */
export class CenteredEmbedder implements Embedder {
  readonly model: string
  readonly kind: Embedder['kind']
  readonly #inner: Embedder
  /** The mean vector of the usual texts, by purpose: some models read queries and documents differently. */
  readonly #centers = new Map<TextPurpose, Promise<Vector>>()

  constructor(inner: Embedder) {
    this.model = `${inner.model}:centered`
    this.kind = inner.kind
    this.#inner = inner
  }

  dimensions(): Promise<number> {
    return this.#inner.dimensions()
  }

  async embed(texts: string[], purpose: TextPurpose, signal?: AbortSignal): Promise<Vector[]> {
    const [center, vectors] = await Promise.all([this.#centerOf(purpose), this.#inner.embed(texts, purpose, signal)])
    return vectors.map((vector) => without(center, vector))
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** Concurrent callers share one request; none ends it for the others. */
  #centerOf(purpose: TextPurpose): Promise<Vector> {
    const known = this.#centers.get(purpose)
    if (known !== undefined) {
      return known
    }
    const center = this.#inner.embed([...usualTexts], purpose).then(meanOf)
    this.#centers.set(purpose, center)
    // The next call asks again.
    center.catch(() => this.#centers.delete(purpose))
    return center
  }
}

function meanOf(vectors: Vector[]): Vector {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (const [at, value] of vector.entries()) {
      mean[at] = (mean[at] ?? 0) + value / vectors.length
    }
  }
  return mean
}

/** The vector without the center; one of zeros, which a text without meaning has, stays. */
function without(center: Vector, vector: Vector): Vector {
  const isZero = vector.every((value) => value === 0)
  const rest = isZero ? vector : vector.map((value, at) => value - (center[at] ?? 0))
  return unitVector(rest) ?? vector
}
