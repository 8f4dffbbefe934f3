import { get, list, type SharedRequest, search } from './shared-request.js'

/** Requests for single skills, skills by ids, and selected fields. */
export const skillRequests: Record<string, SharedRequest[]> = {
  'one skill': get(
    '/api/skills/quillmoor/pdf-table-lifter',
    '/api/v1/skills/QUILLMOOR/PDF-Table-Lifter',
    '/api/v1/skills/acme/kumquat',
    '/api/v1/skills/acme/old-name',
    '/api/skills/Other/Older.Name',
    '/api/v1/skills/acme/gone',
    '/api/v1/skills/acme/hidden',
    '/api/v1/skills/quillmoor/pdf-table-liftr',
    '/api/v1/skills/quilmoor/pdf-table-lifter',
    '/api/v1/skills/nobody/pdf-table-lifter',
    '/api/v1/skills/zzzzzz/qqqqqqq',
  ),

  'skills by their ids': get(
    ...list(
      'ids=quillmoor/pdf-table-lifter,ACME/Kumquat,acme/old-name,acme/gone,acme/hidden,nobody/nothing,Other/Older.Name',
      'ids=acme/kumquat&fields=name,stars',
      'ids=acme/gone',
      'ids=acme',
      'ids=acme/kumquat&limit=5',
    ),
  ),

  'selected fields': get(
    ...list('fields=name,stars,license&limit=5', 'fields=id&sort=name', 'fields=nothing'),
    ...search('&fields=name,topics&highlight=true', 'kumquat'),
    '/api/v1/skills/acme/kumquat?fields=updatedAt,description',
    '/api/v1/skills/acme/old-name?fields=name',
  ),
}
