import { repositoryId, type Skill, skillSegment } from '../../../../shared/records/skill.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { Explanation, Hit } from '../api/answers.js'
import { formatDay, formatShort } from '../text/format.js'
import { FactList, Highlighted, Icon, OutsideLink, TopicLinks } from './basic.js'

/** Topics that a card shows. */
const shownTopics = 5

const SkillCard = ({ skill }: { skill: Hit }) => (
  <article class="skill-card">
    <h2 dir="auto">
      <a href={`/skills/${skill.id}`}>
        <Highlighted html={skill.highlights?.name} plain={skill.name} />
      </a>
    </h2>
    <p class="skill-id mono">
      <a href={`/organizations/${skill.owner.toLowerCase()}`}>{skill.owner}</a>/{skillSegment(skill.repo, skill.skill)}
    </p>
    {skill.description === null ? null : (
      <p class="card-text" dir="auto">
        <Highlighted html={skill.highlights?.description} plain={skill.description} />
      </p>
    )}
    {skill.passage ? (
      <p class="passage" dir="auto">
        <Highlighted html={skill.highlights?.passage} plain={skill.passage} />
      </p>
    ) : null}
    <div class="card-foot">
      <SkillFacts skill={skill} />
      <TopicLinks topics={skill.topics.slice(0, shownTopics)} />
    </div>
    <OthersLink skill={skill} />
    {skill.duplicates ? (
      <p class="quiet small">{`${skill.duplicates} more with the same text ${skill.duplicates === 1 ? 'is' : 'are'} left out.`}</p>
    ) : null}
    {skill.explanation === undefined ? null : <WhyHere explanation={skill.explanation} />}
  </article>
)

const placements: Record<Explanation['placement'], string> = {
  'owner/repo': 'Its owner and repository are exactly your text.',
  name: 'Its name is exactly your text.',
  'all words': 'It has all of your words.',
  'some words': 'It has some of your words.',
  text: 'Only its text has some of your words.',
  meaning: 'It has none of your words; its meaning is close.',
}

type Match = NonNullable<Explanation['words'][number]['match']>

const kinds: Record<Match['kind'], string> = {
  exact: 'as written',
  joined: 'joined with its neighbour',
  form: 'in another form',
  split: 'in two parts',
  prefix: 'as the beginning of a word',
  synonym: 'as a synonym',
  typo: 'with a typo corrected',
}

const fields: Record<Match['field'], string> = {
  name: 'name',
  repo: 'repository',
  topics: 'topics',
  description: 'description',
  owner: 'owner',
  text: 'text',
}

/** Why a hit stands where it does, folded. */
const WhyHere = ({ explanation: { placement, words, similarity } }: { explanation: Explanation }) => (
  <details class="why-here">
    <summary>Why this result?</summary>
    <p>{placements[placement]}</p>
    <ul>
      {words.map(({ word, match }) => (
        <li key={word}>
          <b dir="auto">{word}</b>
          {match === null ? ' not found' : ` found ${kinds[match.kind]}, in the ${fields[match.field]}`}
        </li>
      ))}
      {similarity === null ? null : (
        <li>
          <b>{similarity.toFixed(2)}</b> of 1 in closeness of meaning
        </li>
      )}
    </ul>
  </details>
)

interface SkillListProps {
  skills: Hit[]
  label: string
  isBusy?: boolean
}

/** Skills in their order. */
export const SkillList = ({ skills, label, isBusy = false }: SkillListProps) => (
  <ol class="skill-list" aria-label={label} aria-busy={isBusy}>
    {skills.map((skill) => (
      <li key={skill.id}>
        <SkillCard skill={skill} />
      </li>
    ))}
  </ol>
)

interface CompactListProps {
  skills: (Pick<Hit, 'id' | 'name' | 'description'> & Partial<Hit>)[]
  /** The fact that is shown with each; absent: none, and its folder in place of its id, as in the list of a repository. */
  fact?: 'stars' | 'created' | 'updated' | 'gained'
}

const gainText = ({ days7, days30 }: NonNullable<Hit['starsGained']>): string =>
  days7 > 0 ? `+${formatShort(days7)} in 7 days` : `+${formatShort(days30)} in 30 days`

const factOf = (skill: CompactListProps['skills'][number], fact: CompactListProps['fact']): string | null => {
  const { stars = null, createdAt = null, updatedAt = null, starsGained } = skill
  if (fact === 'gained') {
    return starsGained === undefined ? null : gainText(starsGained)
  }
  if (fact === 'stars') {
    return stars === null ? null : `★ ${formatShort(stars)}`
  }
  const time = fact === 'created' ? createdAt : updatedAt
  return time === null ? null : formatDay(time)
}

/** Skills in short. */
export const CompactList = ({ skills, fact }: CompactListProps) => (
  <ol class="compact-list">
    {skills.map((skill) => (
      <li key={skill.id}>
        <div class="compact-head">
          <a dir="auto" href={`/skills/${skill.id}`}>
            {skill.name}
          </a>
          {fact === undefined ? null : <span class="quiet small">{factOf(skill, fact)}</span>}
        </div>
        <p class="mono quiet small">{fact === undefined ? (skill.path ?? skill.id) : skill.id}</p>
        <p class="card-text short" dir="auto">
          {skill.description}
        </p>
        <OthersLink skill={skill} />
      </li>
    ))}
  </ol>
)

const isKnown = ({ stars, language, license, updatedAt, archived }: Hit): boolean =>
  archived || [stars, language, license, updatedAt].some((fact) => fact !== null)

/** The short facts of a skill in a list; nothing where none is known. */
const SkillFacts = ({ skill }: { skill: Hit }) =>
  isKnown(skill) ? (
    <ul class="facts">
      {skill.stars === null ? null : (
        <li class="stars">
          <Icon name="star" />
          <span class="hidden-text">Stars: </span>
          {formatShort(skill.stars)}
        </li>
      )}
      {skill.language === null ? null : <li dir="auto">{skill.language}</li>}
      {skill.license === null ? null : <li dir="auto">{skill.license}</li>}
      {skill.updatedAt === null ? null : (
        <li>
          Updated <time dateTime={skill.updatedAt}>{formatDay(skill.updatedAt)}</time>
        </li>
      )}
      {skill.archived ? <li class="badge">Archived</li> : null}
    </ul>
  ) : null

/** Leads from the first skill of a repository to the others; nothing where there are none. */
const OthersLink = ({ skill: { id, others } }: { skill: Pick<Hit, 'id' | 'others'> }) =>
  others ? (
    <p class="quiet small">
      <a href={`/skills/${repositoryId(id)}`}>{`and ${formatNumber(others)} more in this repository`}</a>
    </p>
  ) : null

const at = (text: string | null, page: string | null) =>
  text === null || page === null ? text : <OutsideLink href={page}>{text}</OutsideLink>

const outside = (address: string | null) => at(address?.replace(/^https?:\/\//, '').replace(/\/$/, '') ?? null, address)

/** Digits of a commit, as git shortens it. */
const commitDigits = 12

const day = (time: string | null) => (time === null ? null : <time dateTime={time}>{formatDay(time)}</time>)

const filter = (parameter: string, value: string | null) =>
  value === null ? null : <a href={`/?${new URLSearchParams({ [parameter]: value })}`}>{value}</a>

/** All facts about a skill. */
export const SkillFactList = ({
  skill,
  pages,
}: {
  skill: Skill
  pages: { folder: string | null; commit: string | null }
}) => (
  <FactList
    facts={[
      ['Repository', outside(skill.url)],
      ['Folder', skill.path === '' ? null : at(skill.path, pages.folder)],
      ['Commit', at(skill.commit?.slice(0, commitDigits) ?? null, pages.commit)],
      ['Homepage', outside(skill.homepage)],
      ['Stars', skill.stars === null ? null : formatNumber(skill.stars)],
      ['Forks', skill.forks === null ? null : formatNumber(skill.forks)],
      ['Version', skill.version],
      ['Language', filter('language', skill.language)],
      ['Licence', filter('license', skill.license)],
      ['Created', day(skill.createdAt)],
      ['Updated', day(skill.updatedAt)],
      ['Published', day(skill.publishedAt)],
      ['Read by this catalog', day(skill.indexedAt)],
    ]}
  />
)
