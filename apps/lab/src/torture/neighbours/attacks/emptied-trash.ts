import type { Entry } from '@postshelf/harness';
import type { Attack } from './attack.ts';
import { authorization, flood } from './requests.ts';
import { fillMedia } from './searches.ts';

const ROWS = 200_000;
const BATCH = 500;
const BATCHES = 4;
const RESTORES = 20;

/** Returns the id of a row that was written directly into the database. */
const idOf = (nth: number): string => `01940000-a000-7000-8000-${nth.toString(16).padStart(12, '0')}`;

/** Deletes, restores and purges thousands of items as fast as possible. */
export const emptiedTrash: Attack = {
  name: 'emptied-trash',
  about: `${BATCHES} concurrent batches of ${BATCH} deletions, ${RESTORES} restorations and emptying of the trash, repeatedly, of ${ROWS} items`,
  fill: (deployment, workspace) => fillMedia(deployment, workspace, ROWS),
  async prepare({ root, attackers: [attacker] }) {
    const { workspace }: Entry = attacker;
    const headers = { ...authorization(attacker), 'Content-Type': 'application/json' };
    const post = (path: string, body = '{}') => ({ url: `${root}/v1${path}`, init: { method: 'POST', headers, body } });
    let [deleted, restored] = [0, 0];
    const some = (): string => {
      const ids = Array.from({ length: BATCH }, () => idOf(1 + (deleted++ % ROWS)));
      return JSON.stringify({ ids, action: 'delete' });
    };
    const lately = (): string => idOf(1 + ((deleted + ROWS - BATCH * BATCHES + (restored++ % BATCH)) % ROWS));
    return (signal) =>
      flood(BATCHES + RESTORES + 1, signal, (lane) => {
        if (lane < BATCHES) return post(`/workspaces/${workspace}/media_contents/batch`, some());
        if (lane < BATCHES + RESTORES) return post(`/trash/${lately()}/restore`);
        return { url: `${root}/v1/workspaces/${workspace}/trash`, init: { method: 'DELETE', headers } };
      });
  },
};
