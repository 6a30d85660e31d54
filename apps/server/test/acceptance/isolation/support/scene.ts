import { expect } from 'bun:test';
import { serve } from '../../imports/support/answers.ts';
import { Origin } from '../../imports/support/origin.ts';
import * as fixtures from '../../support/fixtures.ts';
import { forgeries } from '../../support/forgeries.ts';
import { reissue } from '../../support/jwt.ts';
import { EVERY_SCOPE } from '../../support/prepared-library.ts';
import type { Reply } from '../../support/reply.ts';
import { until } from '../../support/until.ts';
import { type CallOptions, World } from '../../support/world.ts';
import { comparable, type Face } from './face.ts';
import { type Kind, kinds } from './kinds.ts';
import { type Content, type RequestShape, type Slot, shapes } from './requests.ts';
import { fillWorkspace, MARK, make, type OwnedIds, type Tenant, video, withoutRetries } from './resources.ts';
import { stateOf } from './state.ts';

/** Returns the id for a field of a request. */
export type Ids = (slot: Slot) => string;

/** Every scope in the document. */
const scopes = [...new Set(shapes.flatMap(({ scope }) => scope ?? []))];

/**
 * For some scopes, the other scopes that a token needs to use them. For example, a webhook delivers only what the token
 * that created it may read.
 */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'webhooks:write': ['media:read', 'folders:read', 'analytics:read'],
  // A token can only give roles whose scopes it has.
  'people:write': ['media:read', 'folders:read', 'analytics:read'],
};

/** An id that never existed: the given id with a different last digit. */
export const unusedId = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

/** Returns the given ids, but with a different id for one field. */
export const replacing =
  (ids: Ids, slot: Slot, id: string): Ids =>
  (other) =>
    other === slot ? id : ids(other);

interface ForeignId {
  readonly kind: Kind;
  readonly what: string;
  readonly id: string;
}

/** The context of additional tests of a shape. The scene and the ids are only available while tests run. */
export interface ShapeContext {
  readonly shape: RequestShape;
  scene(): Scene;
  /** The ids of the intruder. Tests must not delete these resources, because the suite still needs them. */
  own(): Ids;
}

/** A service with two workspaces: the owner's, with resources of all kinds, and the intruder's. */
export class Scene {
  /** The number of requests that were sent and checked. */
  sent = 0;

  private constructor(
    readonly world: World,
    private readonly face: Face,
    readonly origin: Origin,
    readonly owner: Tenant,
    readonly intruder: Tenant,
    readonly theirs: OwnedIds,
    /** Invalid tokens by the name of what is wrong with them. null means that no token is sent. */
    readonly badTokens: ReadonlyMap<string, string | null>,
    private readonly url: string,
  ) {}

  /** @param face the interface that {@link send} uses; {@link over} makes a scene with a different one */
  static async open(face: Face): Promise<Scene> {
    const [world, origin] = await Promise.all([
      World.open(withoutRetries, ['--system-folder', `${MARK} brand`]),
      Origin.open(),
    ]);
    const { workspace = '', foreign = '' } = world.ids;
    const both = ['--workspace', foreign];
    await world.operator();
    await Promise.all([
      world.token('both', workspace, [...both, ...EVERY_SCOPE]),
      ...scopes.flatMap((scope) => {
        const others = scopes.filter((one) => one !== scope).flatMap((one) => ['--scope', one]);
        return [
          world.token(`without ${scope}`, workspace, [...both, ...others]),
          world.token(
            `only ${scope}`,
            foreign,
            [scope, ...(NEEDED[scope] ?? [])].flatMap((one) => ['--scope', one]),
          ),
        ];
      }),
    ]);
    const theirs = await fillWorkspace(world, origin);
    const badTokens = await makeBadTokens(world);
    const url = origin.page('sunset.jpg', serve(fixtures.jpeg())).url;
    const owner = { workspace, token: 'all' };
    const intruder = { workspace: foreign, token: 'foreign' };
    return new Scene(world, face, origin, owner, intruder, theirs, badTokens, url);
  }

  /** A scene with the same owner and intruder, but a different interface. */
  over(face: Face): Scene {
    return new Scene(this.world, face, this.origin, this.owner, this.intruder, this.theirs, this.badTokens, this.url);
  }

  async close(): Promise<void> {
    this.origin.close();
    await this.world.close();
  }

  /** All ids of the owner, each with the kind and state of its resource. */
  get foreignIds(): readonly ForeignId[] {
    return kinds.flatMap((kind) =>
      Object.entries(this.theirs[kind]).map(([state, id]) => ({ kind, what: `${kind} ${state}`, id })),
    );
  }

  /**
   * Returns ids to try in a field of the wanted kind: the owner's ids of this kind in every state, and one id of each
   * other kind. Jobs are left out, because their ids are not UUIDs and would not be looked up.
   */
  foreignIdsFor(wanted: Kind): readonly ForeignId[] {
    const ids = this.foreignIds;
    return ids.filter(
      ({ kind, id }) => kind === wanted || (kind !== 'job' && id === ids.find((one) => one.kind === kind)?.id),
    );
  }

  /** Returns, for each slot, an id of the slot's kind that belongs to the owner. */
  readonly owners: Ids = ({ kind }) => {
    const [first] = Object.values(this.theirs[kind]);
    if (first === undefined) throw new Error(`The owner has nothing of the kind ${kind}.`);
    return first;
  };

  /** Creates a resource of the tenant for each slot of a shape. */
  async ownIds({ slots }: RequestShape, tenant: Tenant): Promise<Ids> {
    const made = new Map<Slot, string>();
    // Only a video has a cover.
    const hasCover = slots.some(({ field }) => field === 'cover.media_content_id');
    for (const slot of slots) {
      const makeOne = hasCover && slot.where === 'path' ? video : make[slot.kind];
      made.set(slot, await makeOne(this.world, tenant));
    }
    return (slot) => {
      const id = made.get(slot);
      if (id === undefined) throw new Error(`Nothing was made for ${slot.field}.`);
      return id;
    };
  }

  content(shape: RequestShape, ids: Ids): Content {
    return shape.content(ids, this.url);
  }

  send(shape: RequestShape, ids: Ids, token: string | null): Promise<Reply> {
    this.sent += 1;
    return this.face.send(this.world, shape, this.content(shape, ids), token);
  }

  /** Sends any request as the intruder, and checks that the answer contains nothing of the owner. */
  async intrudeWith(send: string, options: CallOptions): Promise<Reply> {
    this.sent += 1;
    const reply = await this.world.call(send, { token: this.intruder.token, ...options });
    this.expectNothingOfTheOwner(reply);
    return reply;
  }

  /** Sends a request as a caller other than the owner, and checks that the answer contains nothing of the owner. */
  async intrude(shape: RequestShape, ids: Ids, token: string | null = this.intruder.token): Promise<Reply> {
    const reply = await this.send(shape, ids, token);
    this.expectNothingOfTheOwner(reply);
    return reply;
  }

  expectNothingOfTheOwner({ text }: Reply): void {
    const marks = [this.owner.workspace, ...this.foreignIds.map(({ id }) => id), `${MARK} film`, `${MARK} brand`];
    expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
  }

  /** Everything that the service stores for the owner. */
  state(): Promise<string[]> {
    return stateOf(this.world, [this.owner.workspace, ...this.foreignIds.map(({ id }) => id)]);
  }
}

/**
 * Fails unless the answers are identical.
 *
 * @param what describes the request, for the error message
 */
export function expectAlike(replies: readonly Reply[], what?: string): void {
  const [first, ...others] = replies.map(comparable);
  for (const other of others) expect(other, what).toEqual(first as typeof other);
}

/** Invalid variants of the owner's token, which has every scope, and texts that are not tokens. */
async function makeBadTokens(world: World): Promise<Map<string, string | null>> {
  const { all = '', foreign = '' } = world.tokens;
  await world.run(['token', 'revoke', await world.token('revoked', '{workspace}')]);
  await world.token('expired', '{workspace}', ['--expires-in', '1s']);
  const { revoked = '', expired = '' } = world.tokens;
  const list = 'GET /workspaces/{workspace}/media_library/folders';
  await until('the token has expired', async () => (await world.call(list, { token: expired })).status === 401);
  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  return new Map<string, string | null>([
    ['none', null],
    ['revoked', revoked],
    ['expired', expired],
    ['expired only by its row', reissue(expired, { exp: tomorrow })],
    ...forgeries.map(({ name, forge }) => [name, forge(all, foreign)] as const),
  ]);
}
