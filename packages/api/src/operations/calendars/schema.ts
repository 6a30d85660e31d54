import { type Calendar, MAX_CALENDARS } from '@postshelf/domain';
import * as v from 'valibot';
import { slotWishes } from '../best-times/schema.ts';
import { documented } from '../fields/documented.ts';
import { dateTime, integer, showTime, uuidOf } from '../fields/values.ts';

export const newCalendar = documented(
  v.object({
    ...slotWishes,
    // The field is nullable, so that a client can send a calendar back in the form in which it was returned.
    profile: v.nullish(uuidOf('A profile of the workspace; null or absent: the whole workspace.')),
    exclude: v.nullish(slotWishes.exclude),
  }),
  { title: 'NewCalendar' },
);

const fields = {
  id: documented(v.string(), { format: 'uuid' }),
  profile: v.nullable(documented(v.string(), { format: 'uuid', description: 'null: the whole workspace.' })),
  count: integer('Maximum number of slots.'),
  min_gap_minutes: integer('Minimum minutes between two slots, and between a slot and a planned post.'),
  exclude: v.nullable(documented(v.string(), { description: 'Days and hours without slots.' })),
  created_at: dateTime('When it was created.'),
};

export const calendar = documented(v.object(fields), {
  title: 'CalendarResource',
  description: `A URL from which calendar programs read suggested times; at most ${MAX_CALENDARS} in a workspace.`,
});

export const calendarWithUrl = documented(
  v.object({
    ...fields,
    url: documented(v.string(), {
      description: 'The URL with its secret, which is shown only in this answer.',
      format: 'uri',
      examples: ['https://media.example.com/calendars/019f5b0e-c4e7-7b12-9e55-6f7081a2b3c4.ics?secret=pYlXx0sCoTAbk'],
    }),
  }),
  { title: 'CalendarWithUrlResource' },
);

export const showCalendar = (item: Calendar): v.InferOutput<typeof calendar> => ({
  id: item.id,
  profile: item.profileId,
  count: item.count,
  min_gap_minutes: item.minGapMinutes,
  exclude: item.exclude,
  created_at: showTime(item.createdAt),
});
