import { describe, expect, test } from 'bun:test';
import type { LibraryEvent, PlacedEvent, Uuid } from '@postshelf/domain';
import { addProfile, sampleDetails } from '../posts/samples.ts';
import { addListened, follow, NOW, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const WRITERS = 6;
const ITEMS = 4;
const CHANGES = 20;
const BLOCKS = 3;
const POSTS = 40;

export function describeEventRaces(open: OpenStores): void {
  describe('of many writers', () => {
    const stores = storesOfEachTest(open);

    test('are found once and in order by readers that continue after the last one', async () => {
      const { id } = await addListened(stores.one);
      const items = Array.from({ length: ITEMS }, () => sampleImage(id));
      await stores.one.media.insert(items);
      const profiles = await Promise.all([addProfile(stores.one, id), addProfile(stores.one, id)]);
      const before = await stores.two.events.newest();

      let areWriting = true;
      const write = async (writer: number): Promise<void> => {
        const { media, posts } = writer % 2 === 0 ? stores.one : stores.two;
        for (let n = 0; n < CHANGES; n += 1) {
          const item = items[(writer + n) % ITEMS];
          if (item) await media.update(item.id, { name: `${writer} ${n}` }, NOW + n);
        }
        const profile = profiles[writer % 2];
        for (let block = 0; profile && block < BLOCKS; block += 1) {
          await posts.upsert(
            Array.from({ length: POSTS }, () => sampleDetails(profile)),
            NOW,
          );
        }
      };
      const read = async (reader: number): Promise<readonly PlacedEvent[]> => {
        const of = reader % 2 === 0 ? stores.one : stores.two;
        const found: PlacedEvent[] = [];
        for (let isLast = false; !isLast; ) {
          isLast = !areWriting;
          found.push(...(await follow(of, found.at(-1)?.position ?? before, 7)));
        }
        return found;
      };
      const readers = Promise.all([read(0), read(1), read(2)]);
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
      areWriting = false;
      const [one, ...others] = await readers;

      for (const found of [one, ...others, await follow(stores.two, before, 1000)]) expect(found).toEqual(one as never);
      const events = (one ?? []).map(({ event }) => event);
      expect(events).toHaveLength(WRITERS * (CHANGES + BLOCKS * POSTS));
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
      for (const item of items) {
        const own = events.filter((event) => idOf(event) === item.id);
        const times = own.map(({ at }) => at);
        expect(times).toEqual([...new Set(times)].sort((first, second) => first - second));
        expect(own.at(-1)?.content).toEqual({ kind: 'media', media: await stores.one.media.find(item.id) } as never);
      }
    });
  });
}

const idOf = ({ content }: LibraryEvent): Uuid | null => (content.kind === 'media' ? content.media.item.id : null);
