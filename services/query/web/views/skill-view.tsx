import { repositoryId, type Skill } from '../../../../shared/records/skill.js'
import { CodeLine } from '../components/code-line.js'
import { CompactList } from '../components/compact-list.js'
import { LineChart, type Point } from '../components/line-chart.js'
import { PageHead } from '../components/page-head.js'
import { SkillFactList } from '../components/skill-fact-list.js'
import { TopicLinks } from '../components/topic-links.js'

export interface SkillData {
  skill: Skill
  related: Skill[]
  /** Its stars by day, the oldest first. */
  stars: Point[]
  /** The skills of the repository that have names of their own, and their number; null: there are none. */
  named: { skills: Skill[]; total: number } | null
  /** Other skills of its owner, the most starred first. */
  siblings: Skill[]
  /** The origin of this service. */
  origin: string
}

/** One skill. */
export const SkillView = ({ skill, named, related, stars, siblings, origin }: SkillData) => (
  <div class="skill-view">
    <PageHead
      kind={
        <>
          <a href={`/organizations/${skill.owner.toLowerCase()}`}>{skill.owner}</a> /{' '}
          {skill.skill === null ? skill.repo : <a href={`/skills/${repositoryId(skill.id)}`}>{skill.repo}</a>}
          {skill.skill === null ? null : ` @ ${skill.skill}`}
        </>
      }
      title={skill.name}
    >
      {skill.archived ? <p class="badge">Archived: no longer maintained</p> : null}
    </PageHead>
    <div class="main-and-side">
      <div class="main-column">
        <section aria-label="Description">
          <p class="long" dir="auto">
            {skill.description ??
              (named === null ? 'Its owner has not described it.' : 'A repository of several skills.')}
          </p>
          <TopicLinks topics={skill.topics} />
        </section>
        {named === null ? null : (
          <section class="block" aria-labelledby="named">
            <h2 id="named">{named.total === 1 ? 'Its skill' : `Its ${named.total} skills`}</h2>
            <CompactList skills={named.skills} fact="updated" />
          </section>
        )}
        <section class="block" aria-labelledby="get">
          <h2 id="get">Get it</h2>
          {skill.url === null ? (
            <p>The catalog knows no repository of it.</p>
          ) : (
            <CodeLine label="Clone the repository" code={`git clone ${skill.url}`} />
          )}
          <CodeLine label="Its record, as JSON" code={`curl ${origin}/api/v1/skills/${skill.id}`} />
          <CodeLine label="Skills like this one" code={`curl ${origin}/api/v1/skills/${skill.id}/related`} />
        </section>
        {related.length === 0 ? null : (
          <section class="block" aria-labelledby="related">
            <h2 id="related">Related skills</h2>
            <CompactList skills={related} fact="stars" />
          </section>
        )}
      </div>
      <aside class="side-column" aria-label="Facts">
        <SkillFactList skill={skill} />
        <LineChart id="stars" title="Stars" unit="stars" points={stars} />
        {siblings.length === 0 ? null : (
          <section aria-labelledby="siblings">
            <h2 id="siblings">More of {skill.owner}</h2>
            <ul class="plain-list">
              {siblings.map(({ id, name }) => (
                <li key={id}>
                  <a dir="auto" href={`/skills/${id}`}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
            <p>
              <a href={`/organizations/${skill.owner.toLowerCase()}`}>All of its skills</a>
            </p>
          </section>
        )}
      </aside>
    </div>
  </div>
)
