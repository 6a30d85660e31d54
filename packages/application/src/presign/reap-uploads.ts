import { UNCONFIRMED_LIFE } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

const BATCH = 100;

/**
 * Removes uploads that were never confirmed, a day after their address expired, and files that came for items which
 * don't wait for one (any more): an address may be used again after the confirmation.
 *
 * @returns how many items and how many files were removed
 */
export async function reapUploads(
  ports: Pick<Ports, 'presigned' | 'uploads' | 'media' | 'clock'>,
): Promise<{ readonly items: number; readonly files: number }> {
  const before = ports.clock.now() - UNCONFIRMED_LIFE;
  let items = 0;
  for (let ids = await ports.presigned.expired(before, BATCH); ids.length > 0; ) {
    for (const id of ids) {
      if (await ports.media.remove(id)) items += 1;
      await ports.uploads.remove(id);
    }
    ids = await ports.presigned.expired(before, BATCH);
  }
  let files = 0;
  for await (const { id } of ports.uploads.list()) {
    if (await ports.presigned.find(id)) continue;
    await ports.uploads.remove(id);
    files += 1;
  }
  return { items, files };
}
