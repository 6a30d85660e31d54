import type { Deployment } from '../../deployments/deployment.ts';
import type { Attack } from './attack.ts';
import { batch, flood } from './requests.ts';

const CALLS = 50;
const ROWS = 200_000;

/** Sends searches that find nothing, although the service has to read every row. */
export const searches: Attack = {
  name: 'searches',
  about: `a batch of ${CALLS} searches over ${ROWS} items, repeatedly`,
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

/** The time of the oldest item. Each further item is a second younger. */
const FIRST = Date.UTC(2025, 0, 1);

/** Writes rows of images directly into the database, because uploading the images would take hours. */
export function fillMedia(deployment: Deployment, workspace: string, count: number): Promise<void> {
  const id =
    deployment.name === 'bucket'
      ? "('01940000-a000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"
      : "printf('01940000-a000-7000-8000-%012x', n)";
  const text = 'cast(n as text)';
  return deployment.change(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
     insert into media (id, workspace_id, folder_id, name, full_name, label, search_key, created_at, updated_at, status,
       type, size, sha256, width, height, time)
     select ${id}, '${workspace}', null, 'IMG_' || ${text} || '.jpg',
       '${workspace}/' || cast(${id} as text) || '/IMG_' || ${text} || '.jpg', null,
       'img_' || ${text} || '.jpg', ${FIRST} + n * 1000, ${FIRST} + n * 1000, 'active', 'image/jpeg', 2000000,
       '${'5c'.repeat(32)}', 4000, 3000, null from numbers`,
  );
}
