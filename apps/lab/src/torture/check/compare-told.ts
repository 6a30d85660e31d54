import type { Ledger } from '../ledger/ledger.ts';
import type { Told } from '../load/listener.ts';
import { hold } from '../violation.ts';

/**
 * Compares what a client was told through all kills with what is there: each change once, none that didn't happen, and
 * the times of each resource rise.
 *
 * @throws Violation
 */
export function compareTold(ledger: Ledger, told: readonly Told[]): void {
  hold(new Set(told.map(({ id }) => id)).size === told.length, 'An event was told twice.');
  const byResource = new Map<string, Told[]>();
  for (const event of told) {
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
    hold(countOf('media.active', id) === (isActive ? 1 : 0), 'An item isn’t told active once.', facts);
    hold(countOf('media.deleted', id) === 0, 'An item is told deleted, and is there.', facts);
  }
  for (const { id } of ledger.gone.values()) {
    if (id === null) continue;
    existing.add(id);
    const wasShown = countOf('media.active', id) + countOf('media.processing', id) > 0;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('media.deleted', id) === (wasShown ? 1 : 0), 'A deleted item isn’t told deleted once.', facts);
  }
  for (const { type, resource } of told)
    hold(type !== 'media.active' || existing.has(resource), 'An event tells of what isn’t there.', { resource });
  for (const { id, exists } of ledger.posts.values()) {
    if (id === null || !exists.is(true)) continue;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('post.created', id) === 1, 'A post isn’t told created once.', facts);
  }
}
