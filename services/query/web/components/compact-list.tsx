import type { Hit } from '../api/answers.js'
import { formatDay, formatShort } from '../text/format.js'
import { OthersLink } from './skill-facts.js'

interface Props {
  skills: Pick<Hit, 'id' | 'name' | 'description' | 'stars' | 'createdAt' | 'updatedAt' | 'starsGained' | 'others'>[]
  /** The fact that is shown with each. */
  fact: 'stars' | 'created' | 'updated' | 'gained'
}

const gainText = ({ days7, days30 }: NonNullable<Hit['starsGained']>): string =>
  days7 > 0 ? `+${formatShort(days7)} in 7 days` : `+${formatShort(days30)} in 30 days`

const factOf = (skill: Props['skills'][number], fact: Props['fact']): string | null => {
  const { stars, createdAt, updatedAt, starsGained } = skill
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
export const CompactList = ({ skills, fact }: Props) => (
  <ol class="compact-list">
    {skills.map((skill) => (
      <li key={skill.id}>
        <div class="compact-head">
          <a dir="auto" href={`/skills/${skill.id}`}>
            {skill.name}
          </a>
          <span class="quiet small">{factOf(skill, fact)}</span>
        </div>
        <p class="mono quiet small">{skill.id}</p>
        <p class="description short" dir="auto">
          {skill.description}
        </p>
        <OthersLink skill={skill} />
      </li>
    ))}
  </ol>
)
