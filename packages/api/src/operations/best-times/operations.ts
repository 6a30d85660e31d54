import { bestTimes, findScope, scopeErrors } from '@postshelf/application';
import { type AccessToken, invalid, timeWindow } from '@postshelf/domain';
import { bestTimesQuery, bestTimesResult, DAYS, type WeekResource } from './schema.ts';
import { readRange, TO_BEFORE_FROM } from '../fields/range.ts';
import { alsoCheck, procedureWith, router } from '../../faces/trpc/router.ts';

const HOURS_PER_DAY = 24;

const checkScope = alsoCheck<{ token: AccessToken }>(({ service, token }, raw) =>
  scopeErrors(service.ports, token, raw),
);

/** The hours of the week, from Sunday midnight, by days. */
function byDays(week: readonly number[]): WeekResource {
  const days = DAYS.map((day, index) => [day, week.slice(index * HOURS_PER_DAY, (index + 1) * HOURS_PER_DAY)]);
  return Object.fromEntries(days) as WeekResource;
}

function dayOf(hourOfWeek: number): (typeof DAYS)[number] {
  const day = DAYS[Math.floor(hourOfWeek / HOURS_PER_DAY)];
  if (!day) throw new RangeError(`${hourOfWeek} is no hour of the week`);
  return day;
}

const showInstant = (instant: number): string => new Date(instant).toISOString();

export const analytics = router({
  bestTimes: procedureWith('analytics:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/analytics/best_times',
        summary: 'Best posting times heatmap',
        description:
          'How posts did by day of the week and hour, in the time zone of the workspace. Exactly one of `profile` and `workspace` is given.',
        tags: ['Analytics'],
      },
      status: 200,
      extension: false,
    })
    .use(checkScope)
    .input(bestTimesQuery)
    .output(bestTimesResult)
    .query(async ({ ctx, input }) => {
      const { ports } = ctx.service;
      const { workspace, profileId } = await findScope(ports, ctx.token, input);
      const { timezone } = workspace;
      const window = timeWindow(readRange(input, timezone), ports.clock.now());
      if (!window) throw invalid('to', `The to field ${TO_BEFORE_FROM}`);
      const { heatmap, best } = await bestTimes(ports, workspace, profileId, window, input.method);
      const { cells, counts, posts } = heatmap;
      return {
        data: { heatmap: byDays(cells) },
        meta: {
          timezone,
          from: showInstant(window.from),
          to: showInstant(window.to),
          posts,
          counts: byDays(counts),
          best: best.map((hour) => ({
            day: dayOf(hour),
            hour: hour % HOURS_PER_DAY,
            value: cells[hour] ?? 0,
            posts: counts[hour] ?? 0,
          })),
        },
      };
    }),
});
