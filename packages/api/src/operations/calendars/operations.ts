import {
  type CalendarWithSecret,
  createCalendar,
  deleteCalendar,
  findCalendar,
  listCalendars,
  profileErrors,
} from '@postshelf/application';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { feedUrl } from './feed.ts';
import { calendar, calendarWithUrl, newCalendar, showCalendar } from './schema.ts';

const tag = 'Analytics';
const IN_WORKSPACE = '/workspaces/{workspace}/calendars';

export const calendars = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List calendars',
    description: 'Newest first, without their URLs.',
    tag,
    scope: 'analytics:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: v.object(pageQuery),
    output: pageOf(calendar, 'CalendarPage'),
    async run({ service, within: workspace, input }) {
      const rows = await listCalendars(service.ports, workspace, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/calendars`, input, rows, showCalendar);
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Create calendar',
    description:
      'Creates an iCalendar feed of the slots of the next 7 days. Anyone with its URL can read it; the URL is shown only once. The calendar is deleted with its profile.',
    tag,
    scope: 'analytics:write',
    status: 201,
    extension: true,
    signs: true,
    within: inWorkspace,
    input: newCalendar,
    output: dataAndMessageOf(calendarWithUrl, 'CreatedCalendar'),
    checkAlso: ({ service, within: { id } }, { profile }) => profileErrors(service.ports, id, profile),
    async run({ service, within: workspace, input, completes }) {
      const answer = (created: CalendarWithSecret) => ({
        data: { ...showCalendar(created.calendar), url: feedUrl(service, created) },
        message: 'The calendar was created.',
      });
      const { profile: profileId = null, count, min_gap_minutes: minGapMinutes, exclude = null } = input;
      const wishes = { profileId, count, minGapMinutes, exclude };
      return answer(await createCalendar(service.ports, workspace, wishes, completes(answer)));
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: '/calendars/{id}',
    summary: 'Delete calendar',
    description: 'The calendar’s URL stops working.',
    tag,
    scope: 'analytics:write',
    status: 204,
    extension: true,
    within: within('id', findCalendar),
    output: v.null(),
    async run({ service, within: found }) {
      await deleteCalendar(service.ports, found);
      return null;
    },
  }),
};
