import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine } from '@postshelf/harness';
import type { Deploy } from '../deployments/deployment.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { type Times, tryAttack } from './neighbours.ts';
import { judge, type Row, tableOf } from './report.ts';

const RESULTS = join(import.meta.dir, '../../../results/torture');

/** Milliseconds after which an honest tenant stops waiting for a request. */
const TIMEOUT = 60_000;

/**
 * `npm run torture -- --neighbours`: attacks the service as one tenant, and measures how long another tenant waits.
 *
 * @param only the names of the attacks to run; if it is empty, all are run
 * @param seconds the duration of each attack. Before it, waits without an attack are measured for half of this time.
 * @returns whether the service stayed within all limits that it promises
 */
export async function tryNeighbours(
  deployments: Readonly<Record<string, Deploy>>,
  { only, seconds }: { readonly only: readonly string[]; readonly seconds: number },
): Promise<boolean> {
  const unknown = only.find((name) => ATTACKS.every((attack) => attack.name !== name));
  if (unknown !== undefined) {
    process.stderr.write(`--only is one of ${ATTACKS.map(({ name }) => name).join(', ')}, not ${unknown}.\n`);
    return false;
  }
  const times: Times = { alone: 500 * seconds, attack: 1000 * seconds, timeout: TIMEOUT };
  await mkdir(RESULTS, { recursive: true });
  let isKept = true;
  for (const [name, deploy] of Object.entries(deployments)) {
    const rows: Row[] = [];
    for (const attack of ATTACKS) {
      if (only.length > 0 && !only.includes(attack.name)) continue;
      // Only the deployment `files` stores everything on one disk, so the other deployments skip attacks that need a
      // separate disk.
      if (attack.surroundings?.disk !== undefined && name !== 'files') continue;
      process.stderr.write(`${name}: ${attack.name}\n`);
      const row = await tryAttack(deploy, attack, times);
      if (!row) continue;
      rows.push(row);
      process.stderr.write(`${tableOf([row])}\n`);
    }
    isKept &&= rows.every((row) => judge(row).violated.length === 0);
    const date = new Date().toISOString();
    const about = `${date.slice(0, 10)}; ${describeMachine()}. Longest waits of an honest tenant: nobody attacks → during the attack.`;
    await writeFile(join(RESULTS, `neighbours-${name}.json`), `${JSON.stringify({ date, rows }, null, 2)}\n`);
    process.stdout.write(`## ${name}\n\n${about}\n\n${tableOf(rows)}\n`);
  }
  return isKept;
}
