import type { Attack } from './attack.ts';
import { flood, importPath, ndjson } from './requests.ts';

const IMPORTS = 4;
const KEYS = 80_000;
const LINES = 20;

/** Lines that are costly to parse for their length. */
export const manyKeys: Attack = {
  name: 'many-keys',
  about: `${IMPORTS} imports of posts at once with lines of 1 MB and ${KEYS} keys`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const keys = Array.from({ length: KEYS }, (_, nth) => `"${nth.toString(36).padStart(6, 'k')}":1`);
    const body = `{${keys.join(',')}}\n`.repeat(LINES);
    return (signal) =>
      flood(IMPORTS, signal, () => ({ url: importPath(target, attacker), init: ndjson(attacker, body) }));
  },
};
