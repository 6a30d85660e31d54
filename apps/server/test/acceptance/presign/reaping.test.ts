import { expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { expectErrorShape } from '../support/reply.ts';
import type { World } from '../support/world.ts';
import { uploadStorages } from './support/every-storage.ts';
import { confirm, confirmed, expectServed, type Issued, issue, setTime, show, upload } from './support/uploads.ts';

const hour = 60 * 60 * 1000;

const expire = (world: World, { id }: Issued, ago: number) => setTime(world, id, 'expires_at', Date.now() - ago);

for (const storage of uploadStorages) {
  test(`gc on ${storage.name} removes an unconfirmed item with its file 24 h after its URL expired`, async () => {
    const library = await storage.open();
    const { world } = library;
    try {
      const [sent, unsent, young, active] = [
        await issue(world, fixtures.jpeg()),
        await issue(world, fixtures.jpeg()),
        await issue(world, fixtures.jpeg()),
        await issue(world, fixtures.jpeg()),
      ];
      for (const each of [sent, young, active]) await upload(each, fixtures.jpeg());
      const item = await confirmed(world, active);
      await expire(world, sent, 24 * hour + 1000);
      await expire(world, unsent, 24 * hour + 1000);
      await expire(world, young, 23 * hour);

      expect(await world.command(['gc'])).toMatchObject({ unconfirmed: 2, uploads: 0, trashed: 0 });
      for (const gone of [sent, unsent]) {
        const replies = [await world.call(`GET /media_contents/${gone.id}`), await confirm(world, gone)];
        for (const reply of replies) {
          expect(reply.status).toBe(404);
          expectErrorShape(reply);
        }
        expect(await library.world.keptFiles(gone.id)).toEqual([]);
      }
      // An item that is less than 24 hours old can still be confirmed, and active items are kept.
      await expectServed(await confirmed(world, young), fixtures.jpeg(), storage.redirects);
      expect(await show(world, active)).toEqual(item);
      expect(await world.command(['gc'])).toMatchObject({ unconfirmed: 0, uploads: 0, trashed: 0 });
    } finally {
      await library.close();
    }
  });
}
