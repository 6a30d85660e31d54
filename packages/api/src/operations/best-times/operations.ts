import { bestTimes, findScope, scopeErrors, slots } from '@postshelf/application';
import { instantText, invalid, readExclusions, slotWindow, timeWindow } from '@postshelf/domain';
import { readRange, TO_BEFORE_FROM } from '../fields/range.ts';
import { showTime } from '../fields/values.ts';
import { operation } from '../operation.ts';
import { bestTimesQuery, bestTimesResult, DAYS, slotsQuery, slotsResult, type WeekResource } from './schema.ts';

const HOURS_PER_DAY = 24;

/** Splits the values of a week into days. The week begins on Sunday at midnight. */
function byDays(week: readonly number[]): WeekResource {
  const days = DAYS.map((day, index) => [day, week.slice(index * HOURS_PER_DAY, (index + 1) * HOURS_PER_DAY)]);
  return Object.fromEntries(days) as WeekResource;
}

function dayOf(hourOfWeek: number): (typeof DAYS)[number] {
  const day = DAYS[Math.floor(hourOfWeek / HOURS_PER_DAY)];
  if (!day) throw new RangeError(`${hourOfWeek} is not an hour of the week`);
  return day;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const analytics = {
  bestTimes: operation({
    method: 'GET',
    path: '/analytics/best_times',
    summary: 'Best posting times heatmap',
    description:
      'Shows how well posts do by day of the week and hour, in the time zone of the workspace. Pass exactly one of `profile` and `workspace`.',
    tag: 'Analytics',
    tool: 'analytics_best_times',
    scope: 'analytics:read',
    status: 200,
    extension: false,
    input: bestTimesQuery,
    output: bestTimesResult,
    checkAlso: ({ service, caller }, raw) => scopeErrors(service.ports, caller, raw),
    async run({ facts, service, caller, input }) {
      const { ports } = service;
      const { workspace, profileId } = await findScope(ports, caller, input);
      const { timezone } = workspace;
      const window = timeWindow(readRange(input, timezone), ports.clock.now());
      if (!window) throw invalid('to', `The to field ${TO_BEFORE_FROM}`);
      const { heatmap, best, certainty } = await bestTimes(
        ports,
        workspace,
        { profileId, window, method: input.method },
        facts.signal,
      );
      const { cells, counts, posts } = heatmap;
      return {
        data: { heatmap: byDays(cells) },
        meta: {
          timezone,
          from: showTime(window.from),
          to: showTime(window.to),
          posts,
          counts: byDays(counts),
          best: best.map((hour) => ({
            day: dayOf(hour),
            hour: hour % HOURS_PER_DAY,
            value: cells[hour] ?? 0,
            posts: counts[hour] ?? 0,
          })),
          ...(certainty && {
            low: byDays(certainty.low),
            high: byDays(certainty.high),
            evidence: certainty.evidence,
            posts_left_out: certainty.leftOut,
          }),
        },
      };
    },
  }),
  slots: operation({
    method: 'GET',
    path: '/analytics/best_times/slots',
    summary: 'When to post next',
    description:
      'Suggests upcoming times at which posts should do well, except times too close to planned posts. Pass exactly one of `profile` and `workspace`.',
    tag: 'Analytics',
    tool: 'analytics_slots',
    scope: 'analytics:read',
    status: 200,
    extension: true,
    input: slotsQuery,
    output: slotsResult,
    checkAlso: ({ service, caller }, raw) => scopeErrors(service.ports, caller, raw),
    async run({ facts, service, caller, input }) {
      const { ports } = service;
      const { workspace, profileId } = await findScope(ports, caller, input);
      const { timezone } = workspace;
      const window = slotWindow(readRange(input, timezone), ports.clock.now(), DATE.test(input.to ?? ''));
      if ('problem' in window) throw invalid(window.field, `The ${window.field} field ${window.problem}`);
      const excluded = readExclusions(input.exclude ?? '') ?? new Set<number>();
      const wishes = { window, count: input.count, minGapMinutes: input.min_gap_minutes, excluded };
      const found = await slots(ports, workspace, profileId, wishes, facts.signal);
      return {
        data: found.slots.map(({ at, hourOfWeek, score, low, high, posts, kind, reason }) => ({
          at: instantText(at, timezone),
          day: dayOf(hourOfWeek),
          hour: hourOfWeek % HOURS_PER_DAY,
          score,
          low,
          high,
          posts,
          kind,
          reason,
        })),
        meta: {
          timezone,
          from: showTime(window.from),
          to: showTime(window.to),
          learned_from: showTime(found.learnt.from),
          learned_to: showTime(found.learnt.to),
          posts: found.estimate.posts,
          evidence: found.estimate.evidence,
        },
      };
    },
  }),
};
