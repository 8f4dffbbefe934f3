import type { ComponentChildren } from 'preact'
import { formatCount, formatNumber } from '../../../../shared/text/format-numbers.js'
import { CodeLine, PageHead, topicLink } from '../components/basic.js'
import { CommonValues } from '../components/charts.js'
import { Listing, type ListingData } from '../components/first-view.js'
import { Pager } from '../components/results-view.js'

interface OrganizationData extends ListingData {
  /** As it writes itself. */
  name: string
  login: string
  /** The topics of its skills, the most frequent first. */
  topics: string[]
  languages: string[]
  origin: string
}

interface ListingPageProps {
  kind: string
  title: string
  listing: ListingData
  /** What stands next to the list. */
  children: ComponentChildren
}

const ListingPage = ({ kind, title, listing, children }: ListingPageProps) => (
  <div class="listing-view">
    <PageHead kind={kind} title={title} />
    <div class="main-and-side">
      <div class="main-column">
        <Listing {...listing} />
      </div>
      <aside class="side-column" aria-label={`About ${title}`}>
        {children}
      </aside>
    </div>
  </div>
)

/** The skills of one organization. */
export const OrganizationView = ({ name, login, topics, languages, origin, ...listing }: OrganizationData) => (
  <ListingPage kind="Organization" title={name} listing={listing}>
    <CommonValues id="topics" title="Its topics" values={topics.map(topicLink)} />
    <CommonValues
      id="languages"
      title="Its languages"
      values={languages.map((language) => ({
        text: language,
        href: `/?${new URLSearchParams({ language, owner: login })}`,
      }))}
    />
    <CodeLine label="The same, as JSON" code={`curl '${origin}/api/v1/skills?owner=${login}'`} />
  </ListingPage>
)

interface TopicData extends ListingData {
  topic: string
  /** Other topics of its skills, the most frequent first. */
  topics: string[]
  /** Logins of the owners of its skills, those with the most first. */
  owners: string[]
  origin: string
}

/** The skills of one topic. */
export const TopicView = ({ topic, topics, owners, origin, ...listing }: TopicData) => (
  <ListingPage kind="Topic" title={topic} listing={listing}>
    <CommonValues id="topics" title="Often together with" values={topics.map(topicLink)} />
    <CommonValues
      id="owners"
      title="Organizations"
      values={owners.map((owner) => ({ text: owner, href: `/organizations/${owner.toLowerCase()}` }))}
    />
    <CodeLine label="The same, as JSON" code={`curl '${origin}/api/v1/skills?${new URLSearchParams({ topic })}'`} />
  </ListingPage>
)

interface IndexData {
  kind: 'organizations' | 'topics'
  title: string
  /** Those of this page. */
  values: { value: string; skills: number }[]
  /** The number of all that are listed. */
  total: number
  /** Whether there may be more that are not listed. */
  isCut: boolean
  page: number
  totalPages: number
}

/** All organizations or topics, those with the most skills first. */
export const IndexView = ({ kind, title, values, total, isCut, page, totalPages }: IndexData) => (
  <div class="listing-view">
    <PageHead kind="All of the catalog" title={title}>
      <p class="quiet">
        {isCut
          ? `The ${formatNumber(total)} with the most skills. Search finds the others.`
          : `${formatCount(total, kind)}, those with the most skills first.`}
      </p>
    </PageHead>
    <section class="results" aria-label={title}>
      <ul class="index-list">
        {values.map(({ value, skills }) => (
          <li key={value}>
            <a dir="auto" href={kind === 'topics' ? topicLink(value).href : `/organizations/${value}`}>
              {value}
            </a>{' '}
            <span class="quiet small">{formatCount(skills, 'skills')}</span>
          </li>
        ))}
      </ul>
      <Pager
        page={page}
        totalPages={totalPages}
        link={(number, rel, text) => (
          <a href={number === 1 ? `/${kind}` : `/${kind}?page=${number}`} rel={rel}>
            {text}
          </a>
        )}
      />
    </section>
  </div>
)

/** The repositories of the catalog, each with its first skill. */
export const RepositoriesView = (listing: ListingData) => (
  <div class="listing-view">
    <PageHead kind="All of the catalog" title="Repositories">
      <p class="quiet">Each with the first of its skills in this order, and how many more it has.</p>
    </PageHead>
    <Listing {...listing} />
  </div>
)
