import { expect, test } from 'bun:test';
import { compareEvents } from '../../src/torture/check/compare-events.ts';
import { Ledger, placeOf } from '../../src/torture/ledger/ledger.ts';
import type { ReceivedEvent } from '../../src/torture/load/listener.ts';
import { Contents } from '../../src/torture/support/contents.ts';
import { Violation } from '../../src/torture/violation.ts';

const event = (nth: number, type: string, resource: string): ReceivedEvent => ({
  id: `event ${nth}`,
  type,
  resource,
  timestamp: `2026-01-01T00:00:00.00${nth}Z`,
});

const ACTIVE = event(1, 'media.active', 'there');
const DELETED = [event(2, 'media.active', 'gone'), event(3, 'media.deleted', 'gone')] as const;

/** Returns a ledger with an active item and an item that was deleted. */
async function ledgerOfTwo(): Promise<Ledger> {
  const ledger = new Ledger();
  const contents = await Contents.open(1);
  for (const id of ['there', 'gone']) {
    const details = { source: 'upload', ends: 'active', place: placeOf(null, null) } as const;
    const [record] = ledger.addMedia([contents.describe(ledger.number(), 'jpeg', 10)], details).records;
    if (!record) throw new Error('There is no record.');
    Object.assign(record, { id, isActive: true });
    record.exists.settle(true);
    if (id === 'gone') ledger.forget(record);
  }
  return ledger;
}

test('compareEvents accepts events that were each emitted once', async () => {
  compareEvents(await ledgerOfTwo(), [ACTIVE, ...DELETED]);
});

test.each([
  ['an event is missing', [...DELETED]],
  ['a deletion is missing', [ACTIVE, DELETED[0]]],
  ['an event is emitted twice', [ACTIVE, ACTIVE, ...DELETED]],
  ['a change is reported by two events', [ACTIVE, event(4, 'media.active', 'there'), ...DELETED]],
  ['an existing item is reported as deleted', [ACTIVE, ...DELETED, event(4, 'media.deleted', 'there')]],
  ['an event names an unknown item', [ACTIVE, ...DELETED, event(4, 'media.active', 'other')]],
  ['timestamps do not rise', [ACTIVE, DELETED[1], DELETED[0]]],
])('compareEvents reports a violation if %s', async (_, events) => {
  const ledger = await ledgerOfTwo();
  expect(() => compareEvents(ledger, events)).toThrow(Violation);
});
