import { fixture } from '@postshelf/testing/fixtures';
import { listAt, textAt } from '../../support/json.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { flood, importPath, makeProfile, ndjson } from './requests.ts';

const IMPORTS = 16;
const MEDIA = 50;
const LINES = 2_000;

/** Lines with as many media ids as a line may have. */
export const mediaLines: Attack = {
  name: 'media-lines',
  about: `${IMPORTS} imports of posts at once with ${MEDIA} media ids a line`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const profile = await makeProfile(target, attacker);
    const media_content_ids: string[] = [];
    while (media_content_ids.length < MEDIA) media_content_ids.push(...(await storeTen(target)));
    const post = { profile, published_at: '2026-01-01T00:00:00Z', media_content_ids };
    let made = 0;
    const lines = (): string => {
      const ids = Array.from({ length: LINES }, () => String(made++));
      return ids.map((external_id) => JSON.stringify({ ...post, external_id })).join('\n');
    };
    return (signal) =>
      flood(IMPORTS, signal, () => ({ url: importPath(target, attacker), init: ndjson(attacker, lines()) }));
  },
};

async function storeTen({ root, attackers: [{ workspace, token }] }: AttackTarget): Promise<readonly string[]> {
  const form = new FormData();
  const picture = new Blob([Buffer.from(await (await fixture('jpeg')).bytes())]);
  for (let nth = 0; nth < 10; nth++) form.append('files[]', picture, 'attached.jpg');
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${root}/v1/workspaces/${workspace}/media_contents`, {
    method: 'POST',
    headers,
    body: form,
  });
  return listAt(await response.json(), 'data').map((item) => textAt(item, 'id'));
}
