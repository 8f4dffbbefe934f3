import { skillSegment } from '../../../../shared/records/skill.js'
import type { Hit } from '../api/answers.js'
import { Highlighted } from './highlighted.js'
import { OthersLink, SkillFacts } from './skill-facts.js'
import { TopicLinks } from './topic-links.js'
import { WhyHere } from './why-here.js'

/** Topics that a card shows. */
const shownTopics = 5

/** A skill in a list. */
export const SkillCard = ({ skill }: { skill: Hit }) => (
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
      <p class="description" dir="auto">
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
