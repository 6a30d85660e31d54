import { figures } from '../../operate/support/figures.ts';
import { bigBody } from '../../support/big-body.ts';
import { jpeg } from '../../support/fixtures.ts';
import { boundary, file, multipart } from '../../support/multipart.ts';
import { openRaw, type RawConnection } from '../../support/raw.ts';
import type { Reply } from '../../support/reply.ts';
import { stringAt } from '../../support/reply.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** A workspace and a token for it. */
export interface Tenant {
  readonly workspace: string;
  readonly token: string;
}

/** The tenant that exists in every world. */
export const firstTenant = ({ ids, tokens }: World): Tenant => ({
  workspace: ids.workspace ?? '',
  token: tokens.all ?? '',
});

export async function addTenant(world: World, name: string): Promise<Tenant> {
  await world.operator();
  const made = await world.call('POST /workspaces', { token: 'operator', json: { name } });
  const workspace = stringAt(made.json, 'data', 'id');
  await world.token(name, workspace);
  return { workspace, token: world.tokens[name] ?? '' };
}

export const addTenants = (world: World, ...names: readonly string[]): Promise<readonly Tenant[]> =>
  Promise.all(names.map((name) => addTenant(world, name)));

const path = ({ workspace }: Tenant): string => `/workspaces/${workspace}/media_contents`;

/** Uploads an image for the tenant and returns the answer. */
export function uploadPicture(world: World, tenant: Tenant): Promise<Reply> {
  const { bytes, contentType } = multipart([file('beach.jpg', jpeg())], boundary);
  return world.call(`POST ${path(tenant)}`, {
    token: tenant.token,
    headers: { 'content-type': contentType },
    body: bytes,
  });
}

/** Requests an import by URL for the tenant and returns the answer. */
export const importFor = (world: World, { workspace, token }: Tenant, url: string): Promise<Reply> =>
  world.call(`POST /workspaces/${workspace}/media_contents`, { token, json: { url } });

/** An upload that has started, and that continues only when the test calls `send` or `end`. */
export interface BegunUpload {
  readonly connection: RawConnection;
  /** Sends the given number of further bytes of the body. @returns false if the server has closed the connection */
  send(count: number): Promise<boolean>;
  /** Sends the rest, and returns the answer. */
  end(): Promise<Reply | undefined>;
}

/** Sends the head of an upload for the tenant and the first part of its body. */
export async function beginUpload(world: World, tenant: Tenant, size = 200_000): Promise<BegunUpload> {
  const video = bigBody([size]);
  const body = Buffer.concat([...video.chunks()]);
  const connection = await openRaw(world.server.port, 'POST');
  let sent = 0;
  const send = (count: number): Promise<boolean> => {
    const next = body.subarray(sent, sent + count);
    sent += next.length;
    return connection.send(next);
  };
  const head = [
    `POST /v1${path(tenant)} HTTP/1.1`,
    `Host: 127.0.0.1:${world.server.port}`,
    `Authorization: Bearer ${tenant.token}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
  ];
  await connection.send(`${head.join('\r\n')}\r\n\r\n`);
  await send(1_000);
  return {
    connection,
    send,
    async end() {
      await send(body.length);
      return connection.reply;
    },
  };
}

/** The number of slots in use, and the number of waiters, for a kind of work. */
export async function slots(world: World, kind: string): Promise<readonly [inUse: number, waiting: number]> {
  const found = await figures(world);
  const figure = (name: string): number => found.get(`postshelf_work_${name}{kind="${kind}"}`) ?? Number.NaN;
  return [figure('in_use'), figure('waiting')];
}

export const untilSlotsAre = (world: World, kind: string, inUse: number, waiting: number): Promise<void> =>
  until(`${inUse} ${kind} have a slot and ${waiting} wait`, async () => {
    const now = await slots(world, kind);
    return now[0] === inUse && now[1] === waiting;
  });
