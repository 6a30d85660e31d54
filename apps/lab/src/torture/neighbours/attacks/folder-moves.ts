import { textAt } from '../../support/json.ts';
import type { Attack } from './attack.ts';
import { flood, prepareBy } from './requests.ts';

const FOLDERS = 30_000;
const LANES = 40;

/**
 * The folder that is moved. Half of the other folders are directly in it, and each of them contains one folder of the
 * other half.
 */
const TOP = '01940000-b000-7000-8000-000000000000';
const CREATED = Date.UTC(2025, 0, 1);

/** Repeatedly moves a folder that contains thousands of others. */
export const folderMoves: Attack = {
  name: 'folder-moves',
  about: `${LANES} concurrent moves of a folder with ${FOLDERS} folders below it, repeatedly`,
  async fill(deployment, workspace) {
    const isBucket = deployment.name === 'bucket';
    const idOf = (n: string): string =>
      isBucket
        ? `('01940000-b000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
        : `printf('01940000-b000-7000-8000-%012x', ${n})`;
    const columns = 'id, workspace_id, parent_id, name, name_key, is_system, created_at, updated_at';
    const name = `'folder ' || cast(n as text)`;
    await deployment.change(
      `insert into folders (${columns})
       values ('${TOP}', '${workspace}', null, 'Top', 'top', 0, ${CREATED}, ${CREATED})`,
    );
    await deployment.change(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${FOLDERS})
       insert into folders (${columns})
       select ${idOf('n')}, '${workspace}', case when n % 2 = 1 then ${idOf('0')} else ${idOf('n - 1')} end,
         ${name}, ${name}, 0, ${CREATED} + n, ${CREATED} + n from numbers`,
    );
  },
  async prepare(target) {
    const [attacker] = target.attackers;
    const make = async (name: string): Promise<string> =>
      textAt(await prepareBy(target, attacker, '/media_library/folders', { name }), 'data', 'id');
    const parents = [await make('One'), await make('Another')];
    const headers = { Authorization: `Bearer ${attacker.token}`, 'Content-Type': 'application/json' };
    const url = `${target.root}/v1/media_library/folders/${TOP}`;
    let moves = 0;
    return (signal) =>
      flood(LANES, signal, () => {
        moves += 1;
        return { url, init: { method: 'PATCH', headers, body: JSON.stringify({ parent_id: parents[moves % 2] }) } };
      });
  },
};
