import { repositoryId, type Skill } from '../../../../shared/records/skill.js'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { CodeLine, OutsideLink, PageHead, TopicLinks } from '../components/basic.js'
import { LineChart, type Point } from '../components/charts.js'
import { type Instructions, SkillFiles, SkillText } from '../components/skill-instructions.js'
import { CompactList, SkillFactList } from '../components/skills.js'

export interface SkillData {
  skill: Skill
  related: Skill[]
  /** Its stars by day, the oldest first. */
  stars: Point[]
  /** The skills of the repository that have names of their own, and their number; null: there are none. */
  named: { skills: ListedOfRepository[]; total: number } | null
  /** The first of the other skills of its repository, and their number; null: none, or it is itself a repository. */
  others: { skills: Pick<Skill, 'id' | 'name'>[]; total: number } | null
  /** Its text and files; null: the catalog keeps none. */
  instructions: Instructions | null
  /** The command that installs it; null: none that can be typed. */
  install: string | null
  /** Where its repository shows its folder and commit; null: not known. */
  pages: { folder: string | null; commit: string | null }
  /** Other skills of its owner, the most starred first. */
  siblings: Skill[]
  origin: string
}

/** A skill in the list of its repository. */
export type ListedOfRepository = Pick<Skill, 'id' | 'name' | 'description' | 'path'>

/** One skill, or a repository with several. */
export const SkillView = ({ skill, named, others, related, stars, siblings, origin, ...its }: SkillData) => (
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
        {named === null ? null : <RepositorySkills {...named} />}
        <section class="block" aria-labelledby="get">
          <h2 id="get">Get it</h2>
          {its.install === null ? null : (
            <CodeLine label={named === null ? 'Install it' : 'Install its skills'} code={its.install} />
          )}
          <FromHere instructions={its.instructions} command={`npx skills add ${origin}/skills/${skill.id}`} />
          {skill.url === null ? (
            <p>The catalog does not know the address of its repository.</p>
          ) : (
            <CodeLine label="Clone the repository" code={`git clone ${skill.url}`} />
          )}
          <CodeLine label="Its record, as JSON" code={`curl ${origin}/api/v1/skills/${skill.id}`} />
          {related.length === 0 ? null : (
            <CodeLine label="Skills like this one" code={`curl ${origin}/api/v1/skills/${skill.id}/related`} />
          )}
        </section>
        {its.instructions === null ? (
          <NoText skill={skill} isRepository={named !== null} />
        ) : (
          <>
            <SkillText
              instructions={its.instructions}
              raw={`/api/v1/skills/${skill.id}/SKILL.md`}
              owner={skill.owner}
              license={skill.license}
            />
            <SkillFiles {...its.instructions} />
          </>
        )}
        {related.length === 0 ? null : (
          <section class="block" aria-labelledby="related">
            <h2 id="related">Related skills</h2>
            <CompactList skills={related} fact="stars" />
          </section>
        )}
      </div>
      <aside class="side-column" aria-label="Facts">
        <SkillFactList skill={skill} pages={its.pages} />
        {others === null ? null : (
          <section aria-labelledby="others">
            <h2 id="others">{`${formatCount(others.total, 'other skills')} in this repository`}</h2>
            <LinkList skills={others.skills} />
            <p>
              <a href={`/skills/${repositoryId(skill.id)}`}>All of its skills</a>
            </p>
          </section>
        )}
        <LineChart id="stars" title="Stars" unit="stars" points={stars} />
        {siblings.length === 0 ? null : (
          <section aria-labelledby="siblings">
            <h2 id="siblings">More of {skill.owner}</h2>
            <LinkList skills={siblings} />
            <p>
              <a href={`/organizations/${skill.owner.toLowerCase()}`}>All of its skills</a>
            </p>
          </section>
        )}
      </aside>
    </div>
  </div>
)

const LinkList = ({ skills }: { skills: Pick<Skill, 'id' | 'name'>[] }) => (
  <ul class="plain-list">
    {skills.map(({ id, name }) => (
      <li key={id}>
        <a dir="auto" href={`/skills/${id}`}>
          {name}
        </a>
      </li>
    ))}
  </ul>
)

/** The skills of a repository, each with the folder that it lies in. */
const RepositorySkills = ({ skills, total }: NonNullable<SkillData['named']>) => (
  <section class="block" aria-labelledby="named">
    <h2 id="named">{total === 1 ? 'Its skill' : `Its ${formatNumber(total)} skills`}</h2>
    {total > skills.length ? (
      <p class="quiet">
        {`The first ${formatNumber(skills.length)} are listed. `}
        Search for the others by their names.
      </p>
    ) : null}
    <CompactList skills={skills} />
  </section>
)

/** The command that takes a skill from this catalog, or why none does; nothing where the catalog keeps no text. */
function FromHere({ instructions, command }: { instructions: Instructions | null; command: string }) {
  if (instructions === null) {
    return null
  }
  return instructions.isWhole ? (
    <CodeLine label="Install it from this catalog" code={command} />
  ) : (
    <p>
      {instructions.filesTotal > 1
        ? 'This catalog keeps its SKILL.md only, so that clients cannot install it from here.'
        : 'Its SKILL.md does not begin with a name and a description as the Agent Skills specification has them, so that clients cannot install it from here.'}
    </p>
  )
}

/** Where the instructions of a skill are that this catalog has not got. */
const NoText = ({ skill: { url }, isRepository }: { skill: Skill; isRepository: boolean }) =>
  isRepository || url === null ? null : (
    <section class="block" aria-labelledby="instructions">
      <h2 id="instructions">Its instructions</h2>
      <p>
        This catalog keeps no text of it. Read it <OutsideLink href={url}>in its repository</OutsideLink>.
      </p>
    </section>
  )
