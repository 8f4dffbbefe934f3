import { repositoryId } from '../../../../shared/records/skill.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { Hit } from '../api/answers.js'
import { formatDay, formatShort } from '../text/format.js'
import { Icon } from './icon.js'

const isKnown = ({ stars, language, license, updatedAt, archived }: Hit): boolean =>
  archived || [stars, language, license, updatedAt].some((fact) => fact !== null)

/** The short facts of a skill in a list; nothing where none is known. */
export const SkillFacts = ({ skill }: { skill: Hit }) =>
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
export const OthersLink = ({ skill: { id, others } }: { skill: Pick<Hit, 'id' | 'others'> }) =>
  others ? (
    <p class="quiet small">
      <a href={`/skills/${repositoryId(id)}`}>{`and ${formatNumber(others)} more in this repository`}</a>
    </p>
  ) : null
