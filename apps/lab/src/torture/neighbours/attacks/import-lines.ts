import type { Entry } from '@postshelf/harness';
import { fixture } from '@postshelf/testing/fixtures';
import { listAt, textAt } from '../../support/json.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { flood, importPath, makeProfile, ndjson } from './requests.ts';

const IMPORTS = 16;
const MEDIA = 50;
const LINES = 2_000;

/**
 * Imports lines with the maximum number of media ids. The two attackers each run half of the imports, because that is
 * the maximum for one token.
 */
export const mediaLines: Attack = {
  name: 'media-lines',
  about: `${IMPORTS} concurrent imports of posts by two tokens, with ${MEDIA} media ids a line`,
  async prepare(target) {
    const makers = await Promise.all(target.attackers.map((attacker) => linesOf(target, attacker)));
    return (signal) =>
      flood(IMPORTS, signal, (nth) => {
        const attacker = target.attackers[nth % 2 === 0 ? 0 : 1];
        return { url: importPath(target, attacker), init: ndjson(attacker, makers[nth % 2]?.() ?? '') };
      });
  },
};

/** Returns a function that makes the body of the attacker's next import. */
async function linesOf(target: AttackTarget, attacker: Entry): Promise<() => string> {
  const profile = await makeProfile(target, attacker);
  const media_content_ids: string[] = [];
  while (media_content_ids.length < MEDIA) media_content_ids.push(...(await storeTen(target, attacker)));
  const post = { profile, published_at: '2026-01-01T00:00:00Z', media_content_ids };
  let made = 0;
  return () => {
    const ids = Array.from({ length: LINES }, () => String(made++));
    return ids.map((external_id) => JSON.stringify({ ...post, external_id })).join('\n');
  };
}

async function storeTen({ root }: AttackTarget, { workspace, token }: Entry): Promise<readonly string[]> {
  const form = new FormData();
  const image = new Blob([Buffer.from(await (await fixture('jpeg')).bytes())]);
  for (let nth = 0; nth < 10; nth++) form.append('files[]', image, 'attached.jpg');
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${root}/v1/workspaces/${workspace}/media_contents`, {
    method: 'POST',
    headers,
    body: form,
  });
  return listAt(await response.json(), 'data').map((item) => textAt(item, 'id'));
}

const WIDE = { imports: 4, keys: 80_000, lines: 20 };

/** Imports lines with so many keys that parsing them takes unusually long for their length. */
export const manyKeys: Attack = {
  name: 'many-keys',
  about: `${WIDE.imports} concurrent imports of posts with lines of 1 MB and ${WIDE.keys} keys`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const keys = Array.from({ length: WIDE.keys }, (_, nth) => `"${nth.toString(36).padStart(6, 'k')}":1`);
    const body = `{${keys.join(',')}}\n`.repeat(WIDE.lines);
    return (signal) =>
      flood(WIDE.imports, signal, () => ({ url: importPath(target, attacker), init: ndjson(attacker, body) }));
  },
};
