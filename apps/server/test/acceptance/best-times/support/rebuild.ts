import { expect } from 'bun:test';
import type { World } from '../../support/world.ts';

interface Rebuilt {
  readonly profiles: number;
  readonly posts: number;
  readonly corrected: number;
}

/** Counts everything anew by `postshelf analytics rebuild`, while the server runs or when it is gone. */
export async function rebuilt(world: World): Promise<Rebuilt> {
  const { profiles, posts, corrected } = await world.command(['analytics', 'rebuild']);
  for (const count of [profiles, posts, corrected]) expect(count).toBeInteger();
  return { profiles: Number(profiles), posts: Number(posts), corrected: Number(corrected) };
}
