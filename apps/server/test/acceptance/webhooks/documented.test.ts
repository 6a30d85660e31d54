// These tests run the receivers in docs/webhooks.md unchanged. They must accept what the service sends, and refuse what
// it hasn't sent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { Installed } from '../clients/support/installed.ts';
import { jpeg } from '../support/fixtures.ts';
import { file as filePart } from '../support/multipart.ts';
import { at, stringAt } from '../support/reply.ts';
import { collect, freePort } from '../support/server.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { arrived, type Created, createWebhook, type Received, Receiver, reachable } from './support/receiver.ts';

const page = readFileSync(resolve(import.meta.dir, '../../../../../docs/webhooks.md'), 'utf8');

/** The only program below a heading. */
function programOf(heading: string, fence: string): string {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [, program] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\``, 'ms').exec(section) ?? [];
  if (program === undefined) throw new Error(`docs/webhooks.md has no program in ${heading}.`);
  return program;
}

let world: World;
let installed: Installed;
let receiver: Receiver;
/** A webhook, and a genuine request that {@link receiver} got for it. */
let webhook: Created;
let genuine: Received;

beforeAll(async () => {
  [world, installed] = await Promise.all([World.open(reachable), Installed.open()]);
  receiver = new Receiver();
  const hook = receiver.hook();
  webhook = await createWebhook(world, hook, ['folder.created']);
  await world.folder('Summer');
  genuine = await arrived(hook);
});

afterAll(async () => {
  receiver.close();
  installed.close();
  await world.close();
});

const env = (more: Readonly<Record<string, string>>) => ({
  PATH: String(process.env.PATH),
  HOME: installed.folder,
  ...more,
});

const languages = [
  { heading: 'Node', fence: 'js', file: 'receiver.mjs', command: 'node' },
  { heading: 'Python', fence: 'python', file: 'receiver.py', command: 'python3' },
] as const;

for (const { heading, fence, file, command } of languages) {
  describe.skipIf(!hasPrograms([command], `the receiver of docs/webhooks.md in ${heading}`))(
    `the receiver of docs/webhooks.md in ${heading}`,
    () => {
      let url: string;
      let started: ReturnType<typeof start>;
      let own: Created;

      beforeAll(async () => {
        writeFileSync(join(installed.folder, file), programOf(heading, fence));
        const port = await freePort();
        url = `http://127.0.0.1:${port}/`;
        const types = ['folder.created', 'workspace.quota'];
        own = await createWebhook(world, { url, requests: [], answer: () => new Response() }, types);
        started = start(String(port), own.secret);
        await until('it listens', () =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        );
      });

      afterAll(async () => {
        started.child.kill();
        await started.child.exited;
      });

      function start(PORT: string, WEBHOOK_SECRET: string) {
        const child = Bun.spawn([command, file], {
          cwd: installed.folder,
          env: env({ PORT, WEBHOOK_SECRET }),
          stdin: 'ignore',
          stdout: 'pipe',
          stderr: 'inherit',
        });
        const printed: string[] = [];
        void (async () => {
          for await (const chunk of child.stdout) printed.push(new TextDecoder().decode(chunk));
        })();
        return { child, printed: () => printed.join('') };
      }

      const send = (headers: Readonly<Record<string, string>>, body: string) =>
        fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });

      test('accepts deliveries of the service, and prints a repeated delivery only once', async () => {
        const folder = await world.folder(`For ${heading}`);
        await until('it is printed', async () => started.printed().includes(folder));
        const { json } = await world.call(`GET /webhooks/${own.id}/deliveries`);
        const id = stringAt(json, 'data', 0, 'id');
        await until('it was accepted', async () => (await statusOf()) === 'delivered');
        await world.call(`POST /webhook_deliveries/${id}/redeliver`);
        await until('it was accepted again', async () => (await statusOf()) === 'delivered');
        expect(started.printed()).toBe(`folder.created ${folder}\n`);
      });

      test('accepts the event about the usage of the workspace, which has no ID', async () => {
        const { workspace } = world.ids;
        const items = Number(at((await world.call('GET /workspaces/{workspace}/usage')).json, 'data', 'items'));
        await world.database.change(`update workspaces set max_items = ${items + 1} where id = '${workspace}'`);
        await world.storeOne(filePart('a.jpg', jpeg()));
        await until('it was accepted', async () => {
          const { json } = await world.call(`GET /webhooks/${own.id}/deliveries`);
          return at(json, 'data', 0, 'event', 'type') === 'workspace.quota' && (await statusOf()) === 'delivered';
        });
        expect(started.printed()).toEndWith(`\nworkspace.quota ${workspace}\n`);
      });

      const statusOf = async () =>
        stringAt((await world.call(`GET /webhooks/${own.id}/deliveries`)).json, 'data', 0, 'status');

      test('refuses requests that are too long, or not signed with its secret', async () => {
        const before = started.printed();
        const { body } = genuine;
        const [id, time, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
          (name) => genuine.headers[name] ?? '',
        ) as [string, string, string];
        const signed = { 'webhook-id': id, 'webhook-timestamp': time };
        const refused = [
          await send({ ...signed, 'webhook-signature': signature }, body),
          await send({ ...signed, 'webhook-signature': 'v1,é' }, body),
          await send({ ...signed, 'webhook-timestamp': 'NaN', 'webhook-signature': signature }, body),
          await send(signed, body),
          await send({}, body),
        ];
        expect(refused.map((response) => response.status)).toEqual([400, 400, 400, 400, 400]);
        expect((await send(signed, 'x'.repeat(100_000))).status).toBe(413);
        expect(started.printed()).toBe(before);
      });
    },
  );
}

describe.skipIf(!hasPrograms(['bash', 'openssl', 'curl'], 'the signature by hand of docs/webhooks.md'))(
  'the signature that docs/webhooks.md computes by hand',
  () => {
    test('equals the signature of the service', async () => {
      const copy = receiver.hook();
      writeFileSync(join(installed.folder, 'body.json'), genuine.body);
      const script = programOf('By hand', 'bash').replace('http://127.0.0.1:8080/', copy.url);
      const { code, stdout } = await collect(['bash', '-euc', script], {
        cwd: installed.folder,
        env: env({
          WEBHOOK_SECRET: webhook.secret,
          ID: genuine.id,
          TIMESTAMP: genuine.headers['webhook-timestamp'] ?? '',
        }),
      });
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${genuine.headers['webhook-signature']}\n` });
      expect(copy.requests[0]?.body).toBe(genuine.body);
      expect(copy.requests[0]?.headers['webhook-signature']).toBe(genuine.headers['webhook-signature'] ?? '');
    });
  },
);
