import { type CalendarWithSecret, findByAddress, readCalendar, type SuggestedTimes } from '@postshelf/application';
import { CALENDAR_REFRESH, type Calendar, type Slot, WEEKDAYS } from '@postshelf/domain';
import { requireWithin } from '../../admit.ts';
import { notModified, tagOf } from '../../conditional.ts';
import type { Exchange } from '../../exchange.ts';
import type { Service } from '../../service.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const ENDING = '.ics';

/** Returns the URL of a calendar's feed. The secret is in the query, which our logs never contain. */
export const feedUrl = ({ publicUrl }: Service, { calendar, secret }: CalendarWithSecret): string =>
  `${publicUrl}/calendars/${calendar.id}${ENDING}?secret=${secret}`;

/**
 * Serves `GET` and `HEAD /calendars/{id}.ics`: the suggested times of a calendar, for anyone who has its URL.
 *
 * @param name the path below `/calendars/`
 * @throws Refusal `not_found` for anything that is wrong with the URL, `too_many_requests`
 */
export async function serveFeed(exchange: Exchange, name: string): Promise<Response> {
  const { service, facts } = exchange;
  const { request, signal } = facts;
  const secret = new URL(request.url).searchParams.get('secret') ?? '';
  const id = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : '';
  const calendar = await findByAddress(service.ports, { id, secret });
  // Reads are counted by workspace, because a workspace may have many calendars. Requests for unknown URLs aren't
  // counted, because their counters would fill the memory.
  requireWithin(exchange, await service.limits.countRead(calendar.workspaceId));
  const body = await render(calendar, await readCalendar(service.ports, calendar, signal), service.ports.clock.now());
  const headers = {
    ETag: tagOf(body),
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
  };
  const typed = { ...headers, 'Content-Type': 'text/calendar; charset=utf-8' };
  return notModified(request, headers) ?? new Response(body, { headers: typed });
}

/** Renders the feed (RFC 5545 and RFC 7986). The same slots give the same text throughout a day. */
async function render(calendar: Calendar, { workspace, profile, slots }: SuggestedTimes, now: number): Promise<string> {
  // The library is loaded when a calendar is first read, because most services have no calendars.
  const { default: ical, ICalEventTransparency } = await import('ical-generator');
  const feed = ical({
    name: escapeName(`Suggested times: ${(profile ?? workspace).name}`),
    prodId: { company: 'Postshelf', product: 'Suggested times' },
    ttl: CALENDAR_REFRESH / 1000,
  });
  for (const slot of slots.toSorted((one, other) => one.at - other.at))
    feed.createEvent({
      id: `${calendar.id}-${slot.at / 1000}@postshelf`,
      // The time of the last revision (RFC 5545 section 3.8.7.2). Scores and reasons may change as posts are added, so
      // each day counts as a revision.
      stamp: new Date(Math.max(calendar.createdAt, now - (now % DAY))),
      start: new Date(slot.at),
      end: new Date(slot.at + HOUR),
      summary: profile ? `Time to post: ${profile.name}` : 'Time to post',
      description: { plain: describe(slot, workspace.timezone) },
      // The event doesn't make anyone appear busy.
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  // Every line ends with CRLF (RFC 5545 section 3.1), but the library omits it after the last line.
  return `${feed.toString()}\r\n`;
}

/** Escapes a name; the library escapes all other texts. */
const escapeName = (name: string): string => name.replace(/[\\;,]/g, '\\$&');

function describe({ hourOfWeek, score, low, high, reason }: Slot, timezone: string): string {
  const hour = String(hourOfWeek % 24).padStart(2, '0');
  const day = WEEKDAYS[Math.floor(hourOfWeek / 24)];
  const time = `${day} ${hour}:00 (${timezone}). ${reason}`;
  if (score === 0) return time;
  const [shown, min, max] = [score, low, high].map(Math.round);
  return `${time} Score ${shown}, where 100 is average; 90 % interval ${min} to ${max}.`;
}
