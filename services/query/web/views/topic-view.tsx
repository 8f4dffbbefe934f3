import { CodeLine } from '../components/code-line.js'
import { CommonValues } from '../components/common-values.js'
import { Listing, type ListingData } from '../components/listing.js'
import { PageHead } from '../components/page-head.js'
import { topicPath } from '../components/topic-links.js'

export interface TopicData extends ListingData {
  topic: string
  /** Other topics of its skills, the most frequent first. */
  topics: string[]
  /** Logins of the owners of its skills, those with the most first. */
  owners: string[]
  origin: string
}

/** The skills of one topic. */
export const TopicView = ({ topic, topics, owners, origin, ...listing }: TopicData) => (
  <div class="listing-view">
    <PageHead kind="Topic" title={topic} />
    <div class="main-and-side">
      <div class="main-column">
        <Listing {...listing} />
      </div>
      <aside class="side-column" aria-label={`About ${topic}`}>
        <CommonValues
          id="topics"
          title="Often together with"
          values={topics.map((other) => ({ text: other, href: topicPath(other) }))}
        />
        <CommonValues
          id="owners"
          title="Organizations"
          values={owners.map((owner) => ({ text: owner, href: `/organizations/${owner.toLowerCase()}` }))}
        />
        <CodeLine label="The same, as JSON" code={`curl '${origin}/api/v1/skills?${new URLSearchParams({ topic })}'`} />
      </aside>
    </div>
  </div>
)
