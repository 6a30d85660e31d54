import { describe, expect, test } from 'bun:test';
import type { AuditEntry, AuditFilter } from '@postshelf/domain';
import { NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const PAGE = { offset: 0, limit: 10 };
const ALL = { from: 0 };
export const COUNTS = { rows: 7, objects: 6, previews: 5, events: 4, webhooks: 3, tokens: 2, people: 8, sessions: 1 };

export const sampleEntry = (details: Partial<AuditEntry> = {}): AuditEntry => ({
  id: newId(),
  at: NOW,
  tokenId: null,
  personId: null,
  action: 'media.update',
  subjectId: null,
  workspaceId: null,
  address: null,
  counts: null,
  ...details,
});

/** The contract of {@link AuditRepository}. */
export function describeAuditRepository(name: string, open: OpenStores): void {
  describe(`${name}: audit repository`, () => {
    const stores = storesOfEachTest(open);
    const record = (...entries: readonly AuditEntry[]) => stores.one.audit.record(entries);

    test('keeps complete entries for every instance, and lists them newest first', async () => {
      const ids = { tokenId: newId(), personId: newId(), subjectId: newId(), workspaceId: newId() };
      const full = sampleEntry({ ...ids, address: '2001:db8::1', counts: COUNTS });
      const [first, second] = [sampleEntry({ at: NOW - 1 }), sampleEntry()];
      await record(second, full, first);
      await record();
      // `full` and `second` are from the same millisecond, and `full` has the smaller id.
      expect(await stores.two.audit.list(ALL, PAGE)).toEqual({ items: [second, full, first], total: 3 });
      expect(await stores.two.audit.list(ALL, { offset: 2, limit: 2 })).toEqual({ items: [first], total: 3 });
    });

    test('keeps one copy of an entry that is recorded repeatedly', async () => {
      const [known, other] = [sampleEntry(), sampleEntry()];
      await record(known);
      await record({ ...known, action: 'another' }, other);
      expect(await stores.two.audit.list(ALL, PAGE)).toEqual({ items: [other, known], total: 2 });
    });

    test('finds entries that match the whole filter, both ends of its times included', async () => {
      const [workspaceId, tokenId] = [newId(), newId()];
      const entries = [
        sampleEntry({ workspaceId, at: NOW }),
        sampleEntry({ tokenId, at: NOW + 1 }),
        sampleEntry({ workspaceId, tokenId, at: NOW + 2 }),
        sampleEntry({ workspaceId: newId(), tokenId: newId(), at: NOW + 3 }),
      ];
      await record(...entries);
      const found = async (given: Partial<AuditFilter>) => {
        const filter = { ...ALL, ...given };
        const { items, total } = await stores.two.audit.list(filter, PAGE);
        expect(await stores.two.audit.listBehind(filter, null, 10)).toEqual(items);
        expect(total).toBe(items.length);
        return items.map((item) => entries.findIndex(({ id }) => id === item.id));
      };
      expect(await found({ workspaceId })).toEqual([2, 0]);
      expect(await found({ tokenId })).toEqual([2, 1]);
      expect(await found({ workspaceId, tokenId })).toEqual([2]);
      expect(await found({ from: NOW + 1, to: NOW + 2 })).toEqual([2, 1]);
      expect(await found({ workspaceId, to: NOW + 1 })).toEqual([0]);
      expect(await found({ tokenId: newId() })).toEqual([]);
    });

    test('continues after an entry, even among those of the same millisecond', async () => {
      const entries = [NOW, NOW, NOW, NOW + 1, NOW + 1].map((at) => sampleEntry({ at })).toReversed();
      await record(...entries);
      const read: AuditEntry[] = [];
      for (let n = 0; n < 3; n += 1) {
        const some = await stores.two.audit.listBehind(ALL, read.at(-1) ?? null, 2);
        read.push(...some);
      }
      expect(read).toEqual(entries);
      expect(await stores.two.audit.listBehind(ALL, read.at(-1) ?? null, 2)).toEqual([]);
    });

    test('prunes old entries, a limited number at a time', async () => {
      const kept = sampleEntry({ at: NOW });
      await record(...[1, 2, 3].map((ago) => sampleEntry({ at: NOW - ago })), kept);
      expect(await stores.two.audit.prune(NOW, 2)).toBe(2);
      expect((await stores.one.audit.list(ALL, PAGE)).items.map(({ at }) => at)).toEqual([NOW, NOW - 1]);
      expect(await stores.two.audit.prune(NOW, 2)).toBe(1);
      expect(await stores.one.audit.list(ALL, PAGE)).toEqual({ items: [kept], total: 1 });
    });
  });
}
