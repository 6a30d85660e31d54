import type { Entry } from '@postshelf/harness';
import { SlowClient } from '@postshelf/harness/slow-client';
import type { Attack, AttackTarget } from './attack.ts';
import { authorization, flood, importPath, makeProfile, ndjson } from './requests.ts';

/** Number of streams that each of the two attackers opens. It is the maximum for one token. */
const STREAMS = 1000;
const LINES = 500;

const requestOf = ({ workspace, token }: Entry, query = ''): string =>
  `GET /v1/workspaces/${workspace}/events${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** Returns a function that makes a body of new posts, each of which causes an event. */
async function posting(target: AttackTarget, attacker: Entry): Promise<(lines: number) => RequestInit> {
  const profile = await makeProfile(target, attacker);
  let made = 0;
  return (lines) => {
    const ids = Array.from({ length: lines }, () => `${made++}`.padEnd(200, 'x'));
    const post = { profile, published_at: '2026-01-01T00:00:00Z' };
    return ndjson(attacker, ids.map((external_id) => JSON.stringify({ ...post, external_id })).join('\n'));
  };
}

/** Opens streams, writes posts, and doesn't read the events about them. */
export const unreadStreams: Attack = {
  name: 'unread-streams',
  about: `${STREAMS} event streams of each of two tokens, half of them never read, while both import posts`,
  surroundings: { descriptors: 65_536 },
  async prepare(target) {
    const { attackers, port } = target;
    const writers = await Promise.all(attackers.map((attacker) => posting(target, attacker)));
    const chosen = (nth: number): Entry => attackers[nth % 2 === 0 ? 0 : 1];
    return async (signal) => {
      const open = Array.from({ length: 2 * STREAMS }, (_, nth) =>
        SlowClient.open(port, requestOf(chosen(nth)), { reads: nth < STREAMS }),
      );
      const clients = await Promise.allSettled(open);
      const posted = await flood(2, signal, (lane) => ({
        url: importPath(target, chosen(lane)),
        init: writers[lane]?.(LINES) ?? {},
      }));
      let bytes = 0;
      for (const client of clients) {
        if (client.status === 'rejected') continue;
        bytes += client.value.received;
        client.value[Symbol.dispose]();
      }
      return [...posted, { what: 'read', value: `${Math.round(bytes / 1e6)} MB`, isKept: null }];
    };
  },
};

const OLD = { streams: 900, events: 100_000, part: 20_000, stay: 5_000 };

/** Opens streams that resume after an old event, with a filter that matches none of the events since then. */
export const oldStreams: Attack = {
  name: 'old-streams',
  about: `${OLD.streams} event streams that resume ${OLD.events} events earlier and match none of them, repeatedly`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const stop = new AbortController();
    const headers = authorization(attacker);
    const path = `${target.root}/v1/workspaces/${attacker.workspace}/events`;
    const first = await fetch(path, { headers, signal: stop.signal });
    stop.abort();
    const write = await posting(target, attacker);
    for (let made = 0; made < OLD.events; made += OLD.part) await fetch(importPath(target, attacker), write(OLD.part));
    const query = `?types=workspace.quota&last_event_id=${first.headers.get('last-event-id')}`;
    return async (signal) => {
      while (!signal.aborted) {
        const open = Array.from({ length: OLD.streams }, () =>
          SlowClient.open(target.port, requestOf(attacker, query)),
        );
        const clients = await Promise.allSettled(open);
        await Bun.sleep(OLD.stay);
        for (const client of clients) if (client.status === 'fulfilled') client.value[Symbol.dispose]();
      }
      return [];
    };
  },
};
