import { CodeLine } from '../components/code-line.js'
import { CommonValues } from '../components/common-values.js'
import { Listing, type ListingData } from '../components/listing.js'
import { PageHead } from '../components/page-head.js'
import { topicPath } from '../components/topic-links.js'

export interface OrganizationData extends ListingData {
  /** As it writes itself. */
  name: string
  login: string
  /** The topics of its skills, the most frequent first. */
  topics: string[]
  languages: string[]
  origin: string
}

/** The skills of one organization. */
export const OrganizationView = ({ name, login, topics, languages, origin, ...listing }: OrganizationData) => (
  <div class="listing-view">
    <PageHead kind="Organization" title={name} />
    <div class="main-and-side">
      <div class="main-column">
        <Listing {...listing} />
      </div>
      <aside class="side-column" aria-label={`About ${name}`}>
        <CommonValues
          id="topics"
          title="Its topics"
          values={topics.map((topic) => ({ text: topic, href: topicPath(topic) }))}
        />
        <CommonValues
          id="languages"
          title="Its languages"
          values={languages.map((language) => ({
            text: language,
            href: `/?${new URLSearchParams({ language, owner: login })}`,
          }))}
        />
        <CodeLine label="The same, as JSON" code={`curl '${origin}/api/v1/skills?owner=${login}'`} />
      </aside>
    </div>
  </div>
)
