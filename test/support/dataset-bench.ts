import { anOrganization, aPrompt, aSkill } from './factories.js'
import { type JobBench, openJobBench } from './job-bench.js'

/** A catalog in which every field of a skill, a prompt and an organization has a value, and others have none. */
export async function openDatasetBench(): Promise<JobBench> {
  const bench = await openJobBench()
  await bench.catalog.put('skills', [
    aSkill({
      owner: 'Acme',
      repo: 'Full',
      name: 'Prüfung, "ganz" 🎉',
      description: 'Extracts tables\nfrom invoices',
      topics: ['pdf', 'ocr'],
      license: 'MIT',
      language: 'Python',
      homepage: 'https://acme.example/',
      url: 'https://github.example/Acme/Full',
      stars: 9_007_199_254_740_991,
      forks: 7,
      version: '1.0',
      archived: true,
      createdAt: '2024-01-02T03:04:05.678Z',
      updatedAt: '2025-01-02T03:04:05.678Z',
      publishedAt: '2024-06-02T03:04:05.678Z',
    }),
    aSkill({ owner: 'acme', repo: 'bare', topics: ['ocr'], url: null }),
    aSkill({ owner: 'acme-labs', repo: 'tool', stars: 5 }),
    aSkill({ owner: 'hidden', repo: 'one', state: 'hidden' }),
  ])
  await bench.catalog.put('prompts', [
    aPrompt({ id: 'greet', topics: ['hello'], content: 'Say "hi".' }),
    aPrompt({ id: 'gone', state: 'hidden' }),
  ])
  await bench.catalog.put('organizations', [anOrganization({ login: 'acme', name: 'Acme, Inc.' })])
  return bench
}
