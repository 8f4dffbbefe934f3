import type { Skill } from '../../../../shared/records/skill.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import { formatDay } from '../text/format.js'
import { FactList } from './fact-list.js'

// Links to other sites send no referrer, and pass no search ranking on.
const outside = (address: string | null) =>
  address === null ? null : (
    <a href={address} rel="nofollow noopener noreferrer">
      {address.replace(/^https?:\/\//, '').replace(/\/$/, '')}
    </a>
  )

const at = (text: string | null, page: string | null) =>
  text === null || page === null ? (
    text
  ) : (
    <a href={page} rel="nofollow noopener noreferrer">
      {text}
    </a>
  )

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
