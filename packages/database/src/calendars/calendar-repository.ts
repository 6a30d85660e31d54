import { type Calendar, type CalendarRepository, MAX_CALENDARS } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { countOf } from '../store/count.ts';
import { pageNewestFirst } from '../store/paging.ts';
import { lockWorkspace } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { CalendarRow } from '../store/tables.ts';

export function calendarRepository(store: Store): CalendarRepository {
  const rowOf = store.lookup((queries) => queries.selectFrom('calendars').selectAll().where('id', '=', GIVEN));

  return {
    insert: (calendar, completion) =>
      store.write(async (transaction) => {
        const { workspaceId, profileId } = calendar;
        if (!(await lockWorkspace(transaction, workspaceId))) return 'gone';
        await store.dialect.lock(transaction, 'calendars', [workspaceId]);
        const ofWorkspace = transaction.selectFrom('calendars').where('workspace_id', '=', workspaceId);
        if ((await countOf(ofWorkspace)) >= MAX_CALENDARS) return 'full';
        if (profileId !== null) {
          const profile = transaction.selectFrom('profiles').select('workspace_id').where('id', '=', profileId);
          const row = await profile.where('removal_begun_at', 'is', null).forKeyShare().executeTakeFirst();
          if (row?.workspace_id !== workspaceId) return 'gone';
        }
        await transaction.insertInto('calendars').values(toRow(calendar)).execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? fromRow(row) : null;
    },

    list: (workspaceId, slice) =>
      store.read((snapshot) => {
        const calendars = snapshot.selectFrom('calendars').where('workspace_id', '=', workspaceId);
        return pageNewestFirst(calendars.selectAll(), 'created_at', slice, fromRow);
      }),

    delete: (id) =>
      store.write(async (transaction) => {
        const { numDeletedRows } = await transaction.deleteFrom('calendars').where('id', '=', id).executeTakeFirst();
        return numDeletedRows > 0n;
      }),

    deleteAll: () =>
      store.write(async (transaction) => {
        await transaction.deleteFrom('calendars').execute();
      }),
  };
}

const toRow = (calendar: Calendar): CalendarRow => ({
  id: calendar.id,
  workspace_id: calendar.workspaceId,
  profile_id: calendar.profileId,
  count: calendar.count,
  min_gap_minutes: calendar.minGapMinutes,
  exclude: calendar.exclude,
  hash: calendar.hash,
  created_at: calendar.createdAt,
});

const fromRow = (row: CalendarRow): Calendar => ({
  id: row.id,
  workspaceId: row.workspace_id,
  profileId: row.profile_id,
  count: row.count,
  minGapMinutes: row.min_gap_minutes,
  exclude: row.exclude,
  hash: row.hash,
  createdAt: row.created_at,
});
