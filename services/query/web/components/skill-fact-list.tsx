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

const day = (time: string | null) => (time === null ? null : <time dateTime={time}>{formatDay(time)}</time>)

const filter = (parameter: string, value: string | null) =>
  value === null ? null : <a href={`/?${new URLSearchParams({ [parameter]: value })}`}>{value}</a>

/** All facts about a skill. */
export const SkillFactList = ({ skill }: { skill: Skill }) => (
  <FactList
    facts={[
      ['Repository', outside(skill.url)],
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
