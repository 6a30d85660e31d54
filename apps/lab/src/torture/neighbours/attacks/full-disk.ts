import type { Attack } from './attack.ts';
import { SMALL_DISK, watchDisk } from './disk.ts';
import { flood, importPath, makeProfile, ndjson } from './requests.ts';

const IMPORTS = 4;
const LINES = 200;
const LENGTH = 60_000;

/** Fills the disk down to its reserve with rows instead of files. */
export const fullDisk: Attack = {
  name: 'full-disk',
  about: `${IMPORTS} concurrent imports of posts with texts of ${LENGTH} characters, on a disk that soon reaches its reserve`,
  surroundings: { disk: SMALL_DISK },
  async prepare(target) {
    const [attacker] = target.attackers;
    const profile = await makeProfile(target, attacker);
    const post = { profile, published_at: '2026-01-01T00:00:00Z', text: 'x'.repeat(LENGTH) };
    let made = 0;
    const lines = (): string => {
      const ids = Array.from({ length: LINES }, () => String(made++));
      return ids.map((external_id) => JSON.stringify({ ...post, external_id })).join('\n');
    };
    return (signal) =>
      watchDisk(target, () =>
        flood(IMPORTS, signal, () => ({ url: importPath(target, attacker), init: ndjson(attacker, lines()) })),
      );
  },
};
