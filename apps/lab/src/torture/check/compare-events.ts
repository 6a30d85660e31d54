import type { Ledger } from '../ledger/ledger.ts';
import type { ReceivedEvent } from '../load/listener.ts';
import { hold } from '../violation.ts';

/**
 * Compares the final state with the events received by a client that reconnected after every kill. Each change must be
 * reported exactly once, nothing else may be reported, and the times of each resource's events must increase.
 *
 * @throws Violation
 */
export function compareEvents(ledger: Ledger, received: readonly ReceivedEvent[]): void {
  hold(new Set(received.map(({ id }) => id)).size === received.length, 'An event was sent twice.');
  const byResource = new Map<string, ReceivedEvent[]>();
  for (const event of received) {
    const events = byResource.get(event.resource);
    if (events) events.push(event);
    else byResource.set(event.resource, [event]);
  }
  for (const [resource, events] of byResource) {
    const times = events.map(({ timestamp }) => timestamp);
    const rise = times.every((time, nth) => nth === 0 || time > String(times[nth - 1]));
    hold(rise, 'The times of a resource don’t rise.', { resource, events });
  }
  const countOf = (type: string, id: string): number =>
    byResource.get(id)?.filter((event) => event.type === type).length ?? 0;
  const existing = new Set<string>();
  for (const { id, exists, isActive } of ledger.media.values()) {
    if (id === null || !exists.is(true)) continue;
    existing.add(id);
    const facts = { id, events: byResource.get(id) };
    const active = countOf('media.active', id);
    hold(isActive ? active > 0 : active === 0, 'An item’s events don’t match its status.', facts);
    // An item that exists was restored after every deletion. The creation and each restoration are reported as
    // `active`, so there is one `active` more than there are deletions.
    const isBalanced = countOf('media.deleted', id) === Math.max(active - 1, 0);
    hold(isBalanced, 'An existing item isn’t reported active once more than deleted.', facts);
  }
  for (const { id } of ledger.deleted.values()) {
    if (id === null) continue;
    existing.add(id);
    const wasShown = countOf('media.active', id) + countOf('media.processing', id) > 0;
    const times = wasShown ? Math.max(countOf('media.active', id), 1) : 0;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('media.deleted', id) === times, 'A deleted item isn’t reported deleted as often as active.', facts);
  }
  for (const { type, resource } of received)
    hold(type !== 'media.active' || existing.has(resource), 'An event is about an item that doesn’t exist.', {
      resource,
    });
  for (const { id, exists } of ledger.posts.values()) {
    if (id === null || !exists.is(true)) continue;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('post.created', id) === 1, 'A post isn’t reported created once.', facts);
  }
}
