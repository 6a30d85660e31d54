import type { Ledger } from '../ledger/ledger.ts';
import type { Told } from '../load/listener.ts';
import { hold } from '../violation.ts';

/**
 * Compares the events that a client received through all kills with the final state: each change once, none that didn't
 * happen, and rising times of each resource.
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
    const active = countOf('media.active', id);
    hold(isActive ? active > 0 : active === 0, 'An item isn’t told active.', facts);
    // Deleted as often as it was restored.
    const isBalanced = countOf('media.deleted', id) === Math.max(active - 1, 0);
    hold(isBalanced, 'An item that is there isn’t told active once more than deleted.', facts);
  }
  for (const { id } of ledger.gone.values()) {
    if (id === null) continue;
    existing.add(id);
    const wasShown = countOf('media.active', id) + countOf('media.processing', id) > 0;
    const times = wasShown ? Math.max(countOf('media.active', id), 1) : 0;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('media.deleted', id) === times, 'A deleted item isn’t told deleted as often as active.', facts);
  }
  for (const { type, resource } of told)
    hold(type !== 'media.active' || existing.has(resource), 'An event tells of what isn’t there.', { resource });
  for (const { id, exists } of ledger.posts.values()) {
    if (id === null || !exists.is(true)) continue;
    const facts = { id, events: byResource.get(id) };
    hold(countOf('post.created', id) === 1, 'A post isn’t told created once.', facts);
  }
}
