import { maxCharacters, maxFormerIds } from '../records/fields.js'
import { skillId } from '../records/skill.js'
import { visibleText } from '../text/clean-text.js'
import { splitList } from '../text/values-in-text.js'
import { brief } from './field-reader.js'
import type { GivenValue, MappedFields } from './field-values.js'
import { mapLifecycle } from './map-lifecycle.js'
import {
  describeNoFullName,
  firstFullName,
  identify,
  isNoAddress,
  repositoryAddressOf,
  type SkillFields,
} from './skill-identity.js'
import { type RepositoryName, splitSkillName } from './web-address.js'

/** @param key identifies the skill where no field does, see `mapFields` */
export function mapSkill(fields: SkillFields, key: unknown): MappedFields {
  const address = repositoryAddressOf(fields)
  const fullName = firstFullName(fields.all('fullName'))
  const { id, owner, repo, skill, path } = identify(
    fields,
    fullName ?? firstFullName([...fields.all('identity'), key]),
    address,
    key !== undefined,
  )
  if (id !== null) {
    fields.drop(...fields.given('fullName').filter(isNoAddress).map(describeNoFullName))
  }
  const name = fields.publicLine('name', maxCharacters.name)
  const mapped = {
    id,
    owner,
    repo,
    // A search in code has the name of the file.
    name: [name, skill, repo].find((text) => text !== null && text !== 'SKILL.md') ?? null,
    description: fields.text('description', maxCharacters.description),
    topics: fields.topics('topics'),
    license: fields.license('license'),
    language: fields.publicTerm('language', maxCharacters.language),
    homepage: fields.address('homepage'),
    url: readUrl(fields, address, fullName),
    stars: fields.count('stars') ?? fields.count('stats', ['stars', 'stargazers', 'stargazersCount']),
    forks: fields.count('forks') ?? fields.count('stats', ['forks', 'forksCount']),
    version: fields.publicTerm('version', maxCharacters.version),
    archived: fields.flag('archived') ?? false,
    createdAt: fields.time('createdAt'),
    updatedAt: fields.time('updatedAt'),
    publishedAt: fields.time('publishedAt'),
    indexedAt: null,
    skill,
    path,
    commit: readDigits(fields, 'commit', /^(?:[\da-f]{40}|[\da-f]{64})$/i, 'the 40 or 64 digits of a commit'),
    digest: readDigits(fields, 'digest', /^sha256:[\da-f]{64}$/i, 'sha256: and 64 hexadecimal digits'),
    ...mapLifecycle(
      fields,
      (['url', 'repo', 'identity'] as const)
        .flatMap((field) => fields.given(field))
        .filter(isOfRepository)
        .map(({ value }) => value),
    ),
    formerIds: readFormerIds(fields, id),
  }
  return { id, fields: mapped }
}

/** Whether a value may be the object of a repository, and not one of links. */
const isOfRepository = ({ name }: GivenValue): boolean => /repo|github/i.test(name)

function readDigits(fields: SkillFields, field: 'commit' | 'digest', form: RegExp, rule: string): string | null {
  const text = fields.term(field)
  if (text !== null && !form.test(text)) {
    fields.drop(`${field}: must be ${rule}, not ${brief(text)}`)
    return null
  }
  return text?.toLowerCase() ?? null
}

function readUrl(fields: SkillFields, address: string | null, fullName: RepositoryName | null): string | null {
  if (address !== null) {
    return fields.publicAddress('url', address)
  }
  const odd = fields.given('url').filter((given) => isNoAddress(given) && typeof given.value !== 'object')
  fields.drop(...odd.map(({ name, value }) => `${name}: must be an http or https address, not ${brief(value)}`))
  // full_name and nameWithOwner are GitHub's own words; owner and repo alone do not say where a repository is.
  return fullName === null ? null : `https://github.com/${fullName.owner}/${fullName.repo}`
}

function readFormerIds(fields: SkillFields, id: string | null): string[] {
  const given = fields.known('formerIds') ?? []
  const names = typeof given === 'string' ? splitList(given) : given
  if (!Array.isArray(names)) {
    fields.drop(`formerIds: must be a list of owner/repo or owner/repo@skill, not ${brief(given)}`)
    return []
  }
  const ids = new Set<string>()
  for (const name of names) {
    const former = typeof name === 'string' ? splitSkillName(visibleText(name)) : null
    if (former === null) {
      fields.drop(`formerIds: must be a list of owner/repo or owner/repo@skill, not ${brief(name)}`)
    } else {
      ids.add(skillId(former.owner, former.repo, former.skill))
    }
  }
  ids.delete(id ?? '')
  if (ids.size > maxFormerIds) {
    fields.drop(`formerIds: ${ids.size - maxFormerIds} of the list: at most ${maxFormerIds} are kept`)
  }
  return [...ids].slice(0, maxFormerIds)
}
