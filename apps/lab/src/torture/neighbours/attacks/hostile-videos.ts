import { SlowClient } from '@postshelf/harness/slow-client';
import { costlyVideo } from '@postshelf/testing/fixtures';
import type { Attack } from './attack.ts';
import { rawRequest } from './requests.ts';

const REQUESTS = 10;
const VIDEOS = 10;
/** Milliseconds after which the client disconnects, and milliseconds after which it then reconnects. */
const STAY = 3000;
const PAUSE = 1000;

/** Uploads videos whose covers take a minute to decode, and disconnects while the service is decoding them. */
export const hostileVideos: Attack = {
  name: 'hostile-videos',
  about: `${REQUESTS} requests × ${VIDEOS} videos of 32 KB whose covers keep ffmpeg busy until its time limit; the client disconnects and repeats the request`,
  async prepare({ port, attackers: [attacker] }) {
    const form = new FormData();
    const video = new Blob([Buffer.from(await costlyVideo())]);
    for (let nth = 0; nth < VIDEOS; nth++) form.append('files[]', video, `${nth}.mov`);
    const whole = new Response(form);
    const type = whole.headers.get('content-type') ?? '';
    const request = rawRequest(attacker, '/media_contents', { type, body: await whole.bytes() });
    return async (signal) => {
      let sent = 0;
      while (!signal.aborted) {
        const open = Array.from({ length: REQUESTS }, () => SlowClient.open(port, request));
        const clients = (await Promise.allSettled(open)).flatMap((one) =>
          one.status === 'fulfilled' ? one.value : [],
        );
        await Bun.sleep(STAY);
        for (const client of clients) client[Symbol.dispose]();
        sent += clients.length;
        await Bun.sleep(PAUSE);
      }
      return [{ what: 'requests that were hung up on', value: String(sent), isKept: null }];
    };
  },
};
