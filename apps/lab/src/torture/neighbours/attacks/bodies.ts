import type { Entry } from '@postshelf/harness';
import { SlowClient } from '@postshelf/harness/slow-client';
import { fixture } from '@postshelf/testing/fixtures';
import { textAt } from '../../support/json.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { flood, keepOpen } from './requests.ts';

const CONNECTIONS = 1_500;
const LENGTH = 1_048_576;
const HELD = Buffer.alloc(1_000_000, 'x');
const TRICKLE = { piece: Buffer.alloc(64, 'x'), pause: 1_000 };

const holding = (
  name: string,
  about: string,
  { path, type, start = '' }: { path(attacker: Entry): string; type: string; start?: string },
  choose: (target: AttackTarget, nth: number) => Entry,
  before: (target: AttackTarget) => Promise<void> = async () => undefined,
): Attack => ({
  name,
  about: `${CONNECTIONS} connections ${about}: 1 MB immediately and then 64 bytes a second, each replaced when it is answered`,
  surroundings: { descriptors: 65_536 },
  async prepare(target) {
    await before(target);
    const requests = [0, 1].map((nth) => {
      const attacker = choose(target, nth);
      const head = [
        `POST ${path(attacker)} HTTP/1.1`,
        'Host: 127.0.0.1',
        `Authorization: Bearer ${attacker.token}`,
        `Content-Type: ${type}`,
        `Content-Length: ${LENGTH}`,
      ];
      return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n${start}`), HELD]);
    });
    return (signal) =>
      keepOpen(CONNECTIONS, signal, (nth) =>
        SlowClient.open(target.port, requests[nth % 2] ?? '', { trickle: TRICKLE }),
      );
  },
});

const either = ({ attackers }: AttackTarget, nth: number): Entry => attackers[nth === 0 ? 0 : 1];
const second = ({ attackers: [, attacker] }: AttackTarget): Entry => attacker;
const JSON_TYPE = 'application/json';

/** Sends JSON bodies that never end. */
export const heldBodies = holding(
  'held-bodies',
  'with a JSON body',
  { path: ({ workspace }) => `/v1/workspaces/${workspace}/media_library/folders`, type: JSON_TYPE, start: '{"name":"' },
  either,
);

/** Sends lines that never end. */
export const heldLines = holding(
  'held-lines',
  'with one line of an import of posts',
  { path: ({ workspace }) => `/v1/workspaces/${workspace}/posts/import`, type: 'application/x-ndjson' },
  either,
);

/** Sends bodies with a token that was revoked. */
export const heldByRevoked = holding(
  'held-by-revoked',
  'with a JSON body to tRPC, with a revoked token',
  { path: () => '/trpc/folders.create', type: JSON_TYPE, start: '{"name":"' },
  second,
  (target) => target.revoke(second(target)),
);

const BATCHES = 100;
const CALLS = 50;
const SET = 100;
const FILES = 10;

/** Sends batches whose calls all have large answers. */
export const largeBatches: Attack = {
  name: 'large-batches',
  about: `${BATCHES} concurrent batches of ${CALLS} checks of ${SET} media for every network`,
  async prepare({ root, attackers }) {
    const [{ workspace, token }] = attackers;
    const headers = { Authorization: `Bearer ${token}` };
    const image = new Blob([Buffer.from(await (await fixture('jpeg')).bytes())]);
    const path = `${root}/v1/workspaces/${workspace}/media_contents`;
    const media: string[] = [];
    while (media.length < SET) {
      const form = new FormData();
      for (let nth = 0; nth < FILES; nth += 1) form.append('files[]', image, 'a.jpg');
      const stored = await (await fetch(path, { method: 'POST', headers, body: form })).json();
      for (let nth = 0; nth < FILES; nth += 1) media.push(textAt(stored, 'data', nth, 'id'));
    }
    const input = { workspace, media_content_ids: media };
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: CALLS }, (_, nth) => [nth, input])));
    const url = `${root}/trpc/${Array(CALLS).fill('readiness.set').join(',')}?batch=1`;
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': JSON_TYPE }, body };
    return (signal) => flood(BATCHES, signal, () => ({ url, init }));
  },
};

const BODIES = 100;
const NAMES = 10_980;

/** Sends bodies that are costly to parse, but not costly enough to be refused. */
export const manyNames: Attack = {
  name: 'many-names',
  about: `${BODIES} concurrent JSON bodies with ${NAMES} names and values`,
  async prepare({ root, attackers: [{ workspace, token }] }) {
    const names = Array.from({ length: NAMES / 2 }, (_, nth) => `"${nth.toString(36).padStart(6, 'k')}":1`);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE };
    const init = { method: 'POST', headers, body: `{${names.join(',')}}` };
    const url = `${root}/v1/workspaces/${workspace}/media_library/folders`;
    return (signal) => flood(BODIES, signal, () => ({ url, init }));
  },
};
