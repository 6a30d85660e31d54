import type { Reply } from '../../support/reply.ts';
import type { CallOptions, World } from '../../support/world.ts';

/** A browser that is signed in. */
export interface Browser {
  readonly cookie: string;
  ask(send: string, options?: CallOptions): Promise<Reply>;
}

const originOf = (world: World): string => new URL(world.server.url).origin;

export const begin = (world: World, json: object, cookie?: string): Promise<Reply> =>
  world.call('POST /sessions', { token: null, headers: { origin: originOf(world), ...(cookie && { cookie }) }, json });

/** Signs in with these credentials. @throws Error if the sign-in is refused */
export async function signIn(world: World, credentials: object): Promise<Browser> {
  const reply = await begin(world, credentials);
  if (reply.status !== 201) throw new Error(`Signing in was refused with ${reply.status}: ${reply.text}`);
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    cookie,
    ask: (send, options = {}) =>
      world.call(send, { ...options, token: null, headers: { cookie, origin: originOf(world), ...options.headers } }),
  };
}
