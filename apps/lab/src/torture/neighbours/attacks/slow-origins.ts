import { head, stallAfter } from '@postshelf/harness/answers';
import type { Answer } from '@postshelf/harness/origin';
import { fixture } from '@postshelf/testing/fixtures';
import type { Attack } from './attack.ts';
import { over, prepareBy } from './requests.ts';

const FILMS = 20;
/** Milliseconds between two bytes. */
const PAUSE = 10_000;

/** Imports of videos that take hours, in two workspaces. */
export const slowOrigins: Attack = {
  name: 'slow-origins',
  about: `${FILMS} films by URL for each of two workspaces, at one byte every 10 s`,
  async prepare(target) {
    const film = await (await fixture('mp4')).bytes();
    const beginning = film.subarray(0, 5000);
    const page = target.origin.page('film.mp4', trickle(film.length, beginning));
    return async (signal) => {
      const asked = target.attackers.flatMap((attacker) =>
        Array.from({ length: FILMS }, () => prepareBy(target, attacker, '/media_contents', { url: page.url })),
      );
      const outcomes = Promise.allSettled(asked);
      await over(signal);
      const open = page.open;
      target.origin.withdraw(page);
      const taken = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
      const value = `${taken} of ${asked.length}, with ${open} connections to the origin`;
      return [{ what: 'films taken', value, isKept: null }];
    };
  },
};

const trickle =
  (length: number, beginning: Uint8Array): Answer =>
  async (exchange) => {
    await stallAfter(head({ length }), beginning)(exchange);
    while (await exchange.send('\0')) await Bun.sleep(PAUSE);
  };
