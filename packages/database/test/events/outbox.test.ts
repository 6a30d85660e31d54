import { describe, expect, test } from 'bun:test';
import type { MediaItem } from '@postshelf/domain';
import {
  addFolder,
  addListened,
  addWorkspace,
  eventsDuring,
  follow,
  sampleImage,
} from '@postshelf/testing/contracts/samples';
import { sql } from 'kysely';
import { endWrite } from '../../src/events/end-write.ts';
import { mediaToRow } from '../../src/media/media-rows.ts';
import { migrate } from '../../src/migrations/migrate.ts';
import { guarded } from '../../src/repositories.ts';
import type { Queries } from '../../src/store/dialect.ts';
import { dialects, openerOf, withAddress } from '../support/dialects.ts';
import { openAt } from '../support/open-at.ts';

const keep = (queries: Queries, item: MediaItem) => queries.insertInto('media').values(mediaToRow(item, [])).execute();

for (const dialect of dialects) {
  const open = openerOf(dialect);

  const notesOf = async ({ reads }: { readonly reads: Queries }): Promise<number> =>
    (await reads.selectFrom('resource_changes').selectAll().execute()).length;

  describe(`${dialect.name}: the outbox`, () => {
    test('gets one event for each net change of a write, whatever statements made the change', async () => {
      const { one, two, store } = await open();
      const { id } = await addListened(one);
      const image = sampleImage(id);
      await one.media.insert([image, sampleImage(id)]);
      const folder = await addFolder(one, id);
      const { write } = guarded(store, () => undefined);
      const changed = await eventsDuring(two, () =>
        write(async (transaction) => {
          await sql`update media set label = 'first' where workspace_id = ${id}`.execute(transaction);
          await sql`update media set label = 'second' where id = ${image.id}`.execute(transaction);
          await sql`update media set details = null, sha256 = null`.execute(transaction);
          await sql`delete from folders`.execute(transaction);
        }),
      );
      expect(changed.map(({ type }) => type).sort()).toEqual(['folder.deleted', 'media.updated', 'media.updated']);
      const expected = expect.objectContaining({ content: { kind: 'media', media: await one.media.find(image.id) } });
      expect(changed).toContainEqual(expected);
      expect(changed).toContainEqual(expect.objectContaining({ content: { kind: 'deleted', id: folder.id } }));
      const nothing = await eventsDuring(two, () =>
        write(async (transaction) => {
          await sql`update media set details = '{}'`.execute(transaction);
          const passing = sampleImage(id);
          await keep(transaction, passing);
          await sql`delete from media where id = ${passing.id}`.execute(transaction);
        }),
      );
      expect(nothing).toEqual([]);
      expect(await notesOf(store)).toBe(0);
    });

    test('has the events of all concurrent writes except those that are rolled back', async () => {
      const { one, two, store } = await open();
      const { id } = await addListened(one);
      const { write } = guarded(store, () => undefined);
      const items = Array.from({ length: 9 }, () => sampleImage(id));
      const events = await eventsDuring(two, () =>
        Promise.allSettled(
          items.map((item, index) =>
            write(async (transaction) => {
              await keep(transaction, item);
              if (index % 3 === 0) throw new Error('no such luck');
            }),
          ),
        ),
      );
      const kept = items.filter((_, index) => index % 3 !== 0).map((item) => item.id);
      expect(events.map((event) => event.content.kind === 'media' && event.content.media.item.id).sort()).toEqual(kept);
      expect(await notesOf(store)).toBe(0);
    });

    test('has no events for rows that a copy writes', async () => {
      const { one, two, store } = await open();
      const { id } = await addListened(one);
      expect(
        await eventsDuring(two, () => one.rows.write((transaction) => keep(transaction, sampleImage(id)))),
      ).toEqual([]);
      expect(await notesOf(store)).toBe(0);
    });

    test('has no events for rows that a migration changes', () =>
      withAddress(dialect, async (address) => {
        const database = await openAt(address);
        await database.migrate();
        const { id } = await addListened(database);
        await database.media.insert([sampleImage(id)]);
        const store = await dialect.openStore(address);
        const later = { up: (db: Queries) => sql`update media set label = 'new'`.execute(db).then(() => undefined) };
        const events = await eventsDuring(database, () =>
          store.write((transaction) => migrate(transaction, { ...dialect.migrations, '9999-later': later })),
        );
        expect(events).toEqual([]);
        expect(await notesOf(store)).toBe(0);
        await Promise.all([store.close(), database.close()]);
      }));

    test('clears change rows left by a program that does not end its writes', async () => {
      const { one, two, store } = await open();
      const { id } = await addListened(one);
      await store.write((transaction) => keep(transaction, sampleImage(id)));
      expect(await notesOf(store)).toBe(1);
      const events = await eventsDuring(two, () => two.events.prune(0, 1));
      expect(await notesOf(store)).toBe(0);
      expect(events).toHaveLength(dialect.name === 'SQLite' ? 1 : 0);
    });

    test('can be read while writes are refused', async () => {
      const { one, two } = await open();
      const { id } = await addListened(one);
      const before = await two.events.newest();
      await one.media.insert([sampleImage(id)]);
      two.refuseWrites('Not now.');
      try {
        expect(await two.events.listAfter(before, 10)).toHaveLength(1);
      } finally {
        two.refuseWrites(null);
      }
    });

    test.skipIf(dialect.name === 'SQLite')('has events in the order in which they become visible', async () => {
      const { one, two, store } = await open();
      const { id } = await addListened(one);
      const before = await two.events.newest();
      const [slow, fast, last] = [sampleImage(id), sampleImage(id), sampleImage(id)];
      const [isWritten, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const writing = store.write(async (transaction) => {
        await keep(transaction, slow);
        await endWrite(transaction, store.dialect);
        isWritten.resolve();
        await mayCommit.promise;
      });
      await isWritten.promise;
      await one.media.insert([fast]);
      const [first] = await two.events.listAfter(before, 10);
      mayCommit.resolve();
      await writing;
      await one.media.insert([last]);
      const rest = await follow(two, first?.position ?? 0, 1);
      const ids = [first, ...rest].map(
        (each) => each?.event.content.kind === 'media' && each.event.content.media.item.id,
      );
      expect(ids).toEqual([fast.id, slow.id, last.id]);
    });

    test.skipIf(dialect.name === 'SQLite')('accepts a listener only after all earlier writes have ended', async () => {
      const { one, two, store } = await open();
      const { id } = await addWorkspace(one);
      const [isWritten, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const writing = store.write(async (transaction) => {
        await keep(transaction, sampleImage(id));
        isWritten.resolve();
        await mayCommit.promise;
      });
      await isWritten.promise;
      const listening = two.events.listen([id], Number.MAX_SAFE_INTEGER).then(() => 'listening');
      expect(await Promise.race([listening, Bun.sleep(200)])).toBeUndefined();
      mayCommit.resolve();
      await writing;
      expect(await listening).toBe('listening');
    });
  });
}
