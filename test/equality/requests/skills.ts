import { each, get, list, type SharedRequest } from './shared-request.js'

/** Requests for single skills, skills by ids, and selected fields. */
export const skillRequests: Record<string, SharedRequest[]> = {
  'one skill': get(
    '/api/skills/quillmoor/pdf-table-lifter',
    '/api/skills/Other/Older.Name',
    ...each(
      'QUILLMOOR/PDF-Table-Lifter, acme/kumquat, acme/old-name, acme/gone, acme/hidden, quillmoor/pdf-table-liftr, ' +
        'quilmoor/pdf-table-lifter, nobody/pdf-table-lifter, zzzzzz/qqqqqqq',
    ).map((id) => `/api/v1/skills/${id}`),
  ),

  'several skills of a repository': get(
    ...each(
      'orchard/kit, ORCHARD/Tools, orchard/kit@peel, Orchard/KIT%40Kumquat, orchard/kit@gone, orchard/kit@hidden, ' +
        'orchard/kit@peeel, orchard/kid@peel, orchrd/kit@peel, nobody/kit@peel, orchard/kit-before@peel, ' +
        'orchard/kit-before, orchard/kit@, orchard/kit@a@b, orchard/kit-@peel',
    ).map((id) => `/api/v1/skills/${id}`),
    '/api/v1/skills/orchard/kit/history',
    ...list('ids=orchard/kit@peel,orchard/tools/peel,Orchard/Kit%40gone,orchard/kit-before@carve,orchard/kit@hidden'),
    ...list('owner=orchard&sort=stars, owner=orchard&sort=name&order=desc, topic=to-peel'),
  ),

  'skills by their ids': get(
    ...list(
      'ids=quillmoor/pdf-table-lifter,ACME/Kumquat,acme/old-name,acme/gone,acme/hidden,nobody/nothing,Other/Older.Name',
    ),
    ...list('ids=acme/kumquat&fields=name,stars, ids=acme/gone, ids=acme, ids=acme/kumquat&limit=5'),
  ),

  'selected fields': get(
    ...list('fields=name,stars,license&limit=5, fields=id&sort=name, fields=nothing'),
    '/api/v1/skills/acme/kumquat?fields=updatedAt,description',
    '/api/v1/skills/acme/old-name?fields=name',
  ),
}
