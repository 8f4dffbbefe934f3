import { expect, test } from '@jest/globals'
import { DatasetFiles } from '../../services/indexer/dataset/dataset-files.js'
import { toSkillRow } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('why a dataset cannot be written arrives from its thread, with the words of SQLite', async () => {
  const files = await DatasetFiles.create(temporaryFolder(), {})
  const row = toSkillRow(aSkill())

  await expect(files.add('skills', [row, row])).rejects.toThrow('UNIQUE constraint failed: skills.id')

  await files.close()
})
