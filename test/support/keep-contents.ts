import type { RecordWriter } from '../../shared/ports/record-writer.js'
import type { SkillContent } from '../../shared/ports/skill-texts.js'
import type { StoredSkill } from '../../shared/records/skill.js'

/** Puts skills again as they are stored, with these texts and files. */
export async function keepContents(
  catalog: Pick<RecordWriter, 'findStored' | 'put'>,
  contents: SkillContent[],
): Promise<void> {
  const ids = contents.map(({ id }) => id)
  const stored = await catalog.findStored('skills', ids)
  await catalog.put(
    'skills',
    stored.map((found) => found.stored as StoredSkill),
    { contents },
  )
}
