import { expect } from '@jest/globals'
import type { SkillListQuery, SkillReader } from '../../../shared/ports/skill-reader.js'

/** The topics of the skill with this number, of 10,010. */
export const topicsOf = (n: number): string[] => (n < 10_000 ? ['a', 'b'] : ['a', 'b', 'c'])

/** A total is exact without filters and where it is below 10,000. @param catalog of 10,010 skills with these topics */
export async function expectManyTotals(catalog: Pick<SkillReader, 'listSkills'>): Promise<void> {
  const totalOf = async (filters: SkillListQuery['filters'], offset = 0) => {
    const page = await catalog.listSkills({ filters, sort: 'updated', order: 'desc', limit: 1, offset })
    return { total: page.total, totalIsLowerBound: page.totalIsLowerBound }
  }

  expect(await totalOf({})).toEqual({ total: 10_010, totalIsLowerBound: false })
  expect(await totalOf({ topics: ['a', 'b'] })).toEqual({ total: 10_000, totalIsLowerBound: true })
  expect(await totalOf({ topics: ['a', 'b'] }, 9_999)).toEqual({ total: 10_000, totalIsLowerBound: true })
  expect(await totalOf({ topics: ['a', 'c'] })).toEqual({ total: 10, totalIsLowerBound: false })
  expect(await totalOf({ topics: ['a', 'c'] }, 20)).toEqual({ total: 10, totalIsLowerBound: false })
  expect(await totalOf({ topics: ['z'] })).toEqual({ total: 0, totalIsLowerBound: false })
}
