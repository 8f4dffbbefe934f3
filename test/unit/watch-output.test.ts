import { spawn } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { startCatalogOn } from '../support/catalog-command.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { watchOutput } from '../support/watch-output.js'

test('a character that arrives in two pieces is whole in the output', async () => {
  const [first, rest] = ['process.stdout.write(Buffer.from([0xc3]))', 'process.stdout.write(Buffer.from([0xbc]))']
  const output = watchOutput(spawn(process.execPath, ['-e', `${first}; setTimeout(() => ${rest}, 200)`]))

  await output.says('ü')

  expect([await output.ended, output.stdout()]).toEqual([0, 'ü'])
})

test('a command that ends without a text is not waited for', async () => {
  const command = startCatalogOn({ DATA_DIR: temporaryFolder() }, ['--help'])

  await expect(command.says('no help has this')).rejects.toThrow('it ended (0) without saying "no help has this"')
})
