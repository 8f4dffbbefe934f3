/** The names of a flag: `hidden` and `isHidden`. */
const flagNames = (...names: string[]): string[] =>
  names.flatMap((name) => [name, `is${name.charAt(0).toUpperCase()}${name.slice(1)}`])

/** The names of a time: `deletedAt`, `deletedOn`, `deletedDate`, `deletedTime` and `dateDeleted`. */
const timesOf = (...events: string[]): string[] =>
  events.flatMap((event) => [
    ...['At', 'On', 'Date', 'Time'].map((ending) => `${event}${ending}`),
    `date${event.charAt(0).toUpperCase()}${event.slice(1)}`,
  ])

/** Objects of what a record lies in or belongs to, or of its settings, which may say who may see it: `visibility`, `private`. */
export const placeNames = [
  ...['project', 'workspace', 'space', 'group', 'owner', 'namespace', 'organization', 'gitlab', 'bitbucket', 'gitea'],
  ...['source', 'settings', 'properties', 'attributes', 'labels', 'flags', 'config', 'access', 'acl', 'publishConfig'],
] as const

/** How such an object, or one of a column of a table (`project.visibility`), says it. */
const ofPlaces = (...endings: string[]): string[] =>
  placeNames.flatMap((name) => endings.map((each) => `${name}${each}`))

/** The flag `private` as the column of a spreadsheet in the language of its users, like the words of flags. */
const privateInOtherLanguages =
  'privat privé privée privado privada privato privata prywatne soukromé приватный частный 非公開 私有 プライベート 비공개'.split(
    ' ',
  )

/** The names by which tools say that a record is not public. Any of them withdraws it, see `mapLifecycle`. */
export const lifecycleNames = {
  state: ['state'],
  /** Words such as `active`, `draft` or `deleted`. */
  status: [
    ...['status', 'publicationStatus', 'publicationState', 'publishStatus', 'publishState', 'postStatus'],
    ...['listingStatus', 'approvalStatus', 'reviewStatus', 'moderationStatus', 'moderationState', 'moderationVerdict'],
    ...['lifecycleState', 'lifecycleStatus', 'recordState', 'recordStatus'],
  ],
  /** What has been done to the record, as logs of changes have it: `D`, `delete`. */
  change: ['op', 'operationType', 'changeType', 'metadataAction', 'headerChangeOper'],
  /** `access`, `privacy` and `workflowState` may say other things too. */
  visibility: [
    ...['visibility', 'visibilityLevel', 'sharing', 'privacyStatus', 'privacyLevel'],
    ...['access', 'accessLevel', 'accessControl', 'accessGrants', 'privacy', 'workflowState', 'acl'],
    ...['visibilityType', 'visibilityStatus', 'visibilityState', 'visibilityScope'],
    ...['skillVisibility', 'promptVisibility', ...ofPlaces('Visibility')],
  ],
  /** Words that withdraw a record where they stand alone, and else say other things: `private` as the scope of a skill. */
  level: [
    ...['accessType', 'accessMode', 'shareType', 'shareMode', 'sharingStatus', 'sharingLevel', 'privacySetting'],
    ...['privacyType', 'privacyMode', 'scope', 'audience', 'permission', 'permissions', 'availability'],
    ...['classification', 'confidentiality', 'confidentialityLevel', 'sensitivity', 'stage'],
    ...['publishingStatus', 'publishingState', 'contentStatus', 'entryStatus', 'documentStatus', 'itemStatus'],
    ...['skillStatus', 'promptStatus'],
  ],
  hidden: flagNames(
    ...['hidden', 'hide', 'private', 'internal', 'confidential', 'restricted', 'draft', 'disabled', 'unlisted'],
    ...['delisted', 'unpublished', 'suspended', 'blocked', 'banned', 'quarantined', 'rejected', 'flagged', 'spam'],
    ...['malicious', 'malware', 'malwareBlocked', 'suspicious', 'hiddenByMod', 'pendingScan', 'pendingDelete'],
    ...['pendingDeletion', 'privateRepo', 'privateRepository', 'privateProject', 'inactive', 'deactivated'],
    ...['internalOnly', 'internalUseOnly', 'nonPublic', 'notPublic', 'embargoed', 'quarantine', 'noindex'],
    ...['hideFromSearch', 'hiddenFromSearch', 'excludeFromSearch', 'excludeFromCatalog', 'excludeFromIndex'],
  ).concat('isSecret', ofPlaces('Private', 'IsPrivate'), privateInOtherLanguages),
  /** Flags that withdraw a record when they are false. `published` may also be a time. */
  shown: [
    ...flagNames('public', 'published', 'publish', 'listed', 'visible', 'enabled', 'active', 'approved'),
    ...flagNames('discoverable'),
    // `shared` may be a number, and `show` or `display` a text.
    ...['isShared', 'isShown', 'isShow', 'isDisplayed', 'isDisplay'],
  ],
  removed: flagNames(
    ...['removed', 'deleted', 'softDeleted', 'yanked', 'withdrawn', 'revoked', 'retracted', 'trashed'],
    ...['takenDown', 'takedown', 'trash', 'inTrash', 'tombstone', 'tombstoned'],
    ...['deletedFlag', 'deleteFlag', 'delFlag', 'markedDeleted', 'hardDeleted'],
  ).concat('isDelete', 'isDel'),
  hiddenAt: timesOf(
    ...['hidden', 'disabled', 'unlisted', 'delisted', 'unpublished', 'suspended', 'blocked', 'banned'],
    ...['quarantined', 'rejected', 'markedForDeletion', 'deactivated'],
  ),
  removedAt: timesOf(
    ...['removed', 'deleted', 'softDeleted', 'yanked', 'withdrawn', 'revoked', 'retracted', 'trashed'],
  ).concat('deletionDate', 'deletionTimestamp'),
  /** Lists of reasons against a record. */
  moderationFlags: ['moderationFlags'],
  /** Objects whose members are read by all of these names as well. */
  moderation: ['moderation', 'moderationInfo'],
  metadata: ['metadata', 'meta', '_meta', 'frontmatter'],
} as const

/** The fields by which a record is published or withdrawn. */
export type LifecycleField = keyof typeof lifecycleNames

export const lifecycleFields = Object.keys(lifecycleNames) as LifecycleField[]

/**
 * What stands before a name of the lifecycle in the columns of a table: an object whose members may withdraw a record, as in
 * `metadata.internal` and `repository_private`, or a program that copies tables, as in `_fivetran_deleted`.
 */
export const lifecyclePrefixes = [
  ...['', 'metadata', 'moderation', 'repository', 'repo'],
  ...['fivetran', 'sdc', 'abcdc', 'peerdb', 'hevo', 'cdc'],
]
