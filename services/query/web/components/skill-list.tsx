import type { Hit } from '../api/answers.js'
import { SkillCard } from './skill-card.js'

interface Props {
  skills: Hit[]
  label: string
  isBusy?: boolean
}

/** Skills in their order. */
export const SkillList = ({ skills, label, isBusy = false }: Props) => (
  <ol class="skill-list" aria-label={label} aria-busy={isBusy}>
    {skills.map((skill) => (
      <li key={skill.id}>
        <SkillCard skill={skill} />
      </li>
    ))}
  </ol>
)
