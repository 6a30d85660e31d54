import { head, stallAfter } from '@postshelf/harness/answers';
import { SlowClient } from '@postshelf/harness/slow-client';
import { fixture } from '@postshelf/testing/fixtures';
import type { Attack, AttackTarget, Finding } from './attack.ts';
import { SMALL_DISK, watchDisk } from './disk.ts';
import { keepOpen, rawRequest } from './requests.ts';

const IMAGES = 1500;
const LARGE_IMAGES = 700;
const LARGE = 7 * 1024 * 1024;

/** The limit on outgoing connections for one workspace, plus some margin. */
const MAX_CONNECTIONS = 50;

/** Imports this many images concurrently from a server that declares more bytes than it sends. */
async function importImages(target: AttackTarget, count: number, length: number, sent: number) {
  const [attacker] = target.attackers;
  const image = await (await fixture('jpeg')).bytes();
  const bytes = Buffer.concat([image, Buffer.alloc(Math.max(0, sent - image.length))]);
  const page = target.origin.page('image.jpg', stallAfter(head({ length }), bytes));
  const request = rawRequest(attacker, '/media_contents', {
    type: 'application/json',
    body: JSON.stringify({ url: page.url }),
  });
  return async (signal: AbortSignal): Promise<readonly Finding[]> => {
    let max = 0;
    const timer = setInterval(() => {
      max = Math.max(max, page.open);
    }, 50);
    const answers = await keepOpen(count, signal, () => SlowClient.open(target.port, request));
    clearInterval(timer);
    return [...answers, { what: 'connections to the origin', value: `${max} at most`, isKept: max <= MAX_CONNECTIONS }];
  };
}

/** Imports images that begin and never end. */
export const manyImages: Attack = {
  name: 'many-images',
  about: `${IMAGES} concurrent imports of images from a server that sends only the beginning of each`,
  prepare: (target) => importImages(target, IMAGES, 100_000, 0),
};

/** Imports large images that never end, whose bytes have to be stored in the meantime. */
export const largeImages: Attack = {
  name: 'large-images',
  about: `${LARGE_IMAGES} concurrent imports of images of 7 MB without their last byte, on a disk that soon reaches its reserve`,
  surroundings: { disk: SMALL_DISK },
  async prepare(target) {
    const assault = await importImages(target, LARGE_IMAGES, LARGE, LARGE - 1);
    return (signal) => watchDisk(target, () => assault(signal));
  },
};
