interface Props {
  topics: string[]
  label?: string
}

export const topicPath = (topic: string): string => `/topics/${encodeURIComponent(topic)}`

/** Links to the pages of topics. */
export const TopicLinks = ({ topics, label = 'Topics' }: Props) =>
  topics.length === 0 ? null : (
    <ul class="chips" aria-label={label}>
      {topics.map((topic) => (
        <li key={topic}>
          <a class="chip" dir="auto" href={topicPath(topic)}>
            {topic}
          </a>
        </li>
      ))}
    </ul>
  )
