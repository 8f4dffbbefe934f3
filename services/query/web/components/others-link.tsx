import { repositoryId } from '../../../../shared/records/skill.js'
import { formatNumber } from '../../../../shared/text/format-numbers.js'
import type { Hit } from '../api/answers.js'

/** Leads from the first skill of a repository to the others; nothing where there are none. */
export const OthersLink = ({ skill: { id, others } }: { skill: Pick<Hit, 'id' | 'others'> }) =>
  others ? (
    <p class="quiet small">
      <a href={`/skills/${repositoryId(id)}`}>{`and ${formatNumber(others)} more in this repository`}</a>
    </p>
  ) : null
