import { head, stallAfter } from '@postshelf/harness/answers';
import type { Answer } from '@postshelf/harness/origin';
import { fixture } from '@postshelf/testing/fixtures';
import type { Attack } from './attack.ts';
import { flood, over, prepareBy } from './requests.ts';

const MANY = 12;

const CHUNKED = head({ headers: { 'Transfer-Encoding': 'chunked' } });
const ONE_BYTE_CHUNKS = Buffer.from('1\r\nx\r\n'.repeat(11_000));
const HINTS = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1500));

/** Answers with `beginning`, and then repeats `bytes` until the client disconnects. */
const endless =
  (beginning: Uint8Array | string, bytes: Uint8Array): Answer =>
  async ({ send }) => {
    await send(beginning);
    while (await send(bytes));
  };

/** Returns an attack that imports from an origin with this answer. It keeps `requests` imports running concurrently. */
const importing = (name: string, about: string, requests: number, answer: () => Promise<Answer>): Attack => ({
  name,
  about,
  async prepare(target) {
    const { url } = target.origin.page('file', await answer());
    const body = JSON.stringify({ url });
    return (signal) =>
      flood(requests, signal, (lane) => {
        const { workspace, token } = target.attackers[lane % 2 === 0 ? 0 : 1];
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const path = `${target.root}/v1/workspaces/${workspace}/media_contents`;
        return { url: path, init: { method: 'POST', headers, body } };
      });
  },
});

const oneByteChunks = async (): Promise<Answer> => endless(CHUNKED, ONE_BYTE_CHUNKS);

/** Imports an image in chunks of one byte. */
export const oneByteChunk = importing(
  'one-byte-chunks-alone',
  'repeated imports of an image from a server that endlessly sends chunks of one byte',
  1,
  oneByteChunks,
);

export const manyByteChunks = importing(
  'one-byte-chunks',
  `${MANY} concurrent imports of images from a server that endlessly sends chunks of one byte`,
  MANY,
  oneByteChunks,
);

/** Imports videos, which the service accepts with 202 because of their first bytes. */
export const videosInByteChunks = importing(
  'videos-in-one-byte-chunks',
  `${MANY} concurrent imports of videos, which continue endlessly after the answer, in chunks of one byte`,
  MANY,
  async () => {
    const beginning = (await (await fixture('mp4')).bytes()).subarray(0, 8000);
    const size = `${beginning.length.toString(16)}\r\n`;
    return endless(Buffer.concat([Buffer.from(CHUNKED + size), beginning, Buffer.from('\r\n')]), ONE_BYTE_CHUNKS);
  },
);

export const endlessHints = importing(
  'endless-hints',
  `${MANY} concurrent imports of images from a server that endlessly sends interim answers (103)`,
  MANY,
  async () => endless('', HINTS),
);

const VIDEOS = 20;
/** Milliseconds between two bytes. */
const PAUSE = 10_000;

/** Imports videos that take hours to arrive, in two workspaces. */
export const slowOrigins: Attack = {
  name: 'slow-origins',
  about: `${VIDEOS} imports of videos by each of two workspaces, at one byte every 10 s`,
  async prepare(target) {
    const video = await (await fixture('mp4')).bytes();
    const beginning = video.subarray(0, 5000);
    const page = target.origin.page('video.mp4', trickle(video.length, beginning));
    return async (signal) => {
      const asked = target.attackers.flatMap((attacker) =>
        Array.from({ length: VIDEOS }, () => prepareBy(target, attacker, '/media_contents', { url: page.url })),
      );
      const outcomes = Promise.allSettled(asked);
      await over(signal);
      const open = page.open;
      target.origin.withdraw(page);
      const taken = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
      const value = `${taken} of ${asked.length}, with ${open} connections to the origin`;
      return [{ what: 'videos taken', value, isKept: null }];
    };
  },
};

const trickle =
  (length: number, beginning: Uint8Array): Answer =>
  async (exchange) => {
    await stallAfter(head({ length }), beginning)(exchange);
    while (await exchange.send('\0')) await Bun.sleep(PAUSE);
  };
