import type { Attack } from './attack.ts';
import { batch, flood } from './requests.ts';
import { fillMedia } from './rows.ts';

const CALLS = 50;
const ROWS = 200_000;

/** Searches that find nothing, and look at all there is. */
export const searches: Attack = {
  name: 'searches',
  about: `a batch of ${CALLS} searches over ${ROWS} items, again and again`,
  fill: (deployment, workspace) => fillMedia(deployment, workspace, ROWS),
  async prepare(target) {
    const [attacker] = target.attackers;
    let asked = 0;
    const inputs = () =>
      Array.from({ length: CALLS }, () => {
        asked += 1;
        return { workspace: attacker.workspace, search: `nothing ${asked}` };
      });
    return (signal) => flood(1, signal, () => batch(target, attacker, 'media.list', inputs()));
  },
};
