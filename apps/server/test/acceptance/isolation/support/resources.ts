import { serve } from '../../imports/support/answers.ts';
import { settled } from '../../imports/support/imports.ts';
import type { Origin } from '../../imports/support/origin.ts';
import { confirmed, issue, upload } from '../../presign/support/uploads.ts';
import { hasFfmpeg } from '../../support/ffmpeg.ts';
import * as fixtures from '../../support/fixtures.ts';
import { boundary, file, multipart } from '../../support/multipart.ts';
import { at, type Reply, stringAt } from '../../support/reply.ts';
import type { World } from '../../support/world.ts';
import { TUS } from './face.ts';
import type { Kind } from './kinds.ts';

/** A workspace, and the name of a token that may do everything there and nothing elsewhere. */
export interface Tenant {
  readonly workspace: string;
  readonly token: string;
}

/** Settings under which an import that fails stays `processing` for longer than any test. */
export const withoutRetries = {
  IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  IMPORT_RETRY_DELAYS: '86400000',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  // Makes failing deliveries end soon, so that they no longer change.
  WEBHOOK_RETRY_DELAYS: '1',
  UPLOAD_CONCURRENCY: '100',
};

/**
 * This text is part of all names and texts in the attacked workspace. It must not be part of any answer to other
 * callers.
 */
export const MARK = 'Confidential';

let made = 0;
const newName = (): string => `${MARK} ${++made}`;

function created(reply: Reply, ...path: (string | number)[]): string {
  if (reply.status !== 201) throw new Error(`It was refused with ${reply.status}: ${reply.text}`);
  return stringAt(reply.json, ...path);
}

async function post(world: World, { workspace, token }: Tenant, path: string, json: object): Promise<string> {
  return created(await world.call(`POST /workspaces/${workspace}/${path}`, { token, json }), 'data', 'id');
}

const image = (world: World, tenant: Tenant): Promise<string> =>
  stored(world, tenant, file('beach.jpg', fixtures.jpeg()));

export const video = (world: World, tenant: Tenant): Promise<string> =>
  stored(world, tenant, file('film.mp4', fixtures.mp4()));

async function stored(world: World, { workspace, token }: Tenant, part: ReturnType<typeof file>): Promise<string> {
  const { contentType, bytes } = multipart([part], boundary);
  const headers = { 'content-type': contentType };
  const reply = await world.call(`POST /workspaces/${workspace}/media_contents`, { token, headers, body: bytes });
  return created(reply, 'data', 0, 'id');
}

/** Starts a resumable upload without sending any bytes, and returns its id. */
async function resumable(world: World, { workspace, token }: Tenant): Promise<string> {
  const reply = await world.call(`POST /workspaces/${workspace}/uploads`, { token, headers: TUS });
  if (reply.status !== 201) throw new Error(`The upload did not begin: ${reply.status} ${reply.text}`);
  return reply.headers.get('location')?.split('/').at(-1) ?? '';
}

/**
 * Creates a resource to which nothing else refers, and returns its id. For a workspace, it returns the id of the
 * existing one.
 */
export const make: Readonly<Record<Kind, (world: World, tenant: Tenant) => Promise<string>>> = {
  workspace: async (_, { workspace }) => workspace,
  folder: (world, tenant) => post(world, tenant, 'media_library/folders', { name: newName() }),
  media: image,
  trashed: async (world, tenant) => deleted(world, 'media_contents', await image(world, tenant), tenant.token),
  upload: resumable,
  profile: (world, tenant) => post(world, tenant, 'profiles', { name: newName(), network: 'instagram' }),
  post: async (world, tenant) => {
    const profile = await make.profile(world, tenant);
    return post(world, tenant, 'posts', { profile, published_at: '2026-01-31T18:30:00Z', text: newName() });
  },
  calendar: (world, tenant) => post(world, tenant, 'calendars', { exclude: 'Sunday' }),
  person: (world, tenant) => post(world, tenant, 'people', { name: newName(), role: 'viewer' }),
  session: async (world, { token }) => {
    const headers = { origin: new URL(world.server.url).origin };
    const json = { token: world.tokens[token], name: newName() };
    return created(await world.call('POST /sessions', { token: null, headers, json }), 'data', 'id');
  },
  webhook: (world, tenant) =>
    post(world, tenant, 'webhooks', { url: `http://127.0.0.1:9/${MARK}`, types: ['post.updated'] }),
  delivery: async (world, tenant) => {
    const webhook = await make.webhook(world, tenant);
    const reply = await world.call(`POST /webhooks/${webhook}/test`, { token: tenant.token });
    if (reply.status !== 202) throw new Error(`The test was refused with ${reply.status}: ${reply.text}`);
    return stringAt(reply.json, 'data', 'id');
  },
  token: (world, { workspace }) => world.token(newName(), workspace),
  // Nothing listens at this address, so the import fails and its job waits for a retry.
  job: async (world, tenant) => jobOf(await imported(world, `http://127.0.0.1:9/${MARK}.mp4`, tenant)),
};

/** For each kind of resource, the id of one resource in each state, by the name of the state. */
export type OwnedIds = Readonly<Record<Kind, Readonly<Record<string, string>>>>;

/** Fills the workspace `{workspace}` of a world, which must have one system folder. */
export async function fillWorkspace(world: World, origin: Origin): Promise<OwnedIds> {
  const owner: Tenant = { workspace: String(world.ids.workspace), token: 'all' };
  const folder = await make.folder(world, owner);
  const measured = await make.profile(world, owner);
  const attached = await make.media(world, owner);
  const part = file(`${MARK} film.mp4`, fixtures.mp4());
  const later = await imported(world, origin.page('later.mp4', serve(new Uint8Array(), { status: 503 })).url);
  const video = await (hasFfmpeg ? world.storeVideo(part) : world.storeOne(part));
  const details = { media_content_ids: [attached], metrics: { likes: 7 }, external_id: '17912345678901234' };
  return {
    workspace: { its: owner.workspace },
    folder: {
      full: folder,
      nested: await post(world, owner, 'media_library/folders', { name: newName(), parent_id: folder }),
      system: await systemFolder(world),
      deleted: await deleted(world, 'media_library/folders', await make.folder(world, owner)),
    },
    media: {
      active: await make.media(world, owner),
      attached,
      video: video.id,
      ...(video.thumbnail !== null && { cover: video.thumbnail.id }),
      processing: later,
      failed: (
        await settled(world, {
          id: await imported(world, origin.page('gone.mp4', serve(new Uint8Array(), { status: 404 })).url),
        })
      ).id,
      temporary: (await issue(world, fixtures.jpeg())).id,
      uploaded: await uploaded(world),
      duplicate: await duplicate(world),
      deleted: await deleted(world, 'media_contents', await make.media(world, owner)),
    },
    trashed: { kept: await make.trashed(world, owner) },
    upload: { begun: await make.upload(world, owner) },
    profile: { measured, unused: await make.profile(world, owner) },
    post: {
      plain: await make.post(world, owner),
      detailed: await post(world, owner, 'posts', {
        profile: measured,
        published_at: '2026-02-01T08:00:00Z',
        ...details,
      }),
      deleted: await deleted(world, 'posts', await make.post(world, owner)),
    },
    calendar: {
      live: await make.calendar(world, owner),
      deleted: await deleted(world, 'calendars', await make.calendar(world, owner)),
    },
    person: {
      invited: await make.person(world, owner),
      removed: await deleted(world, 'people', await make.person(world, owner)),
    },
    session: {
      live: await make.session(world, owner),
      ended: await deleted(world, 'sessions', await make.session(world, owner)),
    },
    webhook: {
      live: await make.webhook(world, owner),
      deleted: await deleted(world, 'webhooks', await make.webhook(world, owner)),
    },
    token: { live: await make.token(world, owner) },
    delivery: { tried: await make.delivery(world, owner) },
    job: { waiting: jobOf(later) },
  };
}

const jobOf = (id: string): string => `import:${id}`;

async function imported(
  world: World,
  url: string,
  { workspace, token }: Tenant = { workspace: '{workspace}', token: 'all' },
): Promise<string> {
  const json = { url, name: newName() };
  const reply = await world.call(`POST /workspaces/${workspace}/media_contents`, { token, json });
  if (reply.status !== 202) throw new Error(`The import was answered with ${reply.status}: ${reply.text}`);
  return stringAt(reply.json, 'data', 0, 'id');
}

/** Creates an unconfirmed item and uploads its file. Reading the item would make it `active`. */
async function uploaded(world: World): Promise<string> {
  const issued = await issue(world, fixtures.jpeg());
  await upload(issued, fixtures.jpeg());
  return issued.id;
}

/**
 * Presigns and uploads a file that the workspace already has. Returns the issued id, which refers to the existing item.
 */
async function duplicate(world: World): Promise<string> {
  const issued = await issue(world, fixtures.jpeg(), { on_duplicate: 'return' });
  await upload(issued, fixtures.jpeg());
  if ((await confirmed(world, issued)).id === issued.id) throw new Error('The workspace had no such file.');
  return issued.id;
}

async function systemFolder(world: World): Promise<string> {
  const reply = await world.call('GET /workspaces/{workspace}/media_library/folders?per_page=100');
  const folders: unknown[] = Object.values(Object(at(reply.json, 'data')));
  return stringAt(
    folders.find((folder) => at(folder, 'is_system') === true),
    'id',
  );
}

async function deleted(world: World, path: string, id: string, token = 'all'): Promise<string> {
  const reply = await world.call(`DELETE /${path}/${id}`, { token });
  if (reply.status !== 204) throw new Error(`It was not deleted: ${reply.status} ${reply.text}`);
  return id;
}
