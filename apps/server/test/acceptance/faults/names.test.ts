import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canMount, Mounts } from '@postshelf/harness/mounts';
import { inTurn, redirect, serve, status } from '../imports/support/answers.ts';
import {
  accepted,
  expectActive,
  expectFailed,
  expectRefused,
  importUrl,
  leftovers,
  loopback,
  settled,
  stored,
} from '../imports/support/imports.ts';
import { Origin, type Page } from '../imports/support/origin.ts';
import { onSqlite } from '../support/database.ts';
import { jpeg } from '../support/fixtures.ts';
import { onDisk } from '../support/storage.ts';
import { startStopwatch, until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { descriptors } from './support/held.ts';
import { NameServer } from './support/name-server.ts';
import { makeFolder, upload } from './support/requests.ts';
import { expectReady } from './support/unavailable.ts';

/**
 * `OUTSIDE` stands for a public address, which imports may reach, and `INSIDE` for an internal one, which they may not.
 */
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
/** Another address that imports may reach, where nothing listens. */
const NOBODY = '127.0.0.3';

/** Milliseconds: the time limit for resolving a name, and the margin that is added to it. */
const NAME_TIMEOUT = 10_000;
const SLACK = 15_000;

/** The number of files that are fetched concurrently for one workspace. Further requests wait. */
const FETCHES_PER_WORKSPACE = 12;

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot || !canMount('name servers whose answers change (needs root)'))(
  'a host name in an import URL',
  () => {
    let mounts: Mounts;
    let names: NameServer;
    let world: World;
    let origin: Origin;
    let inside: Origin;

    beforeAll(async () => {
      names = await NameServer.open();
      mounts = await Mounts.open();
      askAt(names);
      mounts.run('mount', '--bind', resolvConf(), '/etc/resolv.conf');
      origin = await Origin.open({ host: OUTSIDE });
      // Both origins listen on the same port, so that a connection to the wrong address would succeed.
      inside = await Origin.open({ host: INSIDE, port: origin.port });
      const settings = { ...loopback, IMPORT_ALLOWED_NETWORKS: `${OUTSIDE}/32,${NOBODY}/32` };
      world = await World.open({ ...settings, ...onSqlite, ...onDisk }, [], { program: mounts.program, servers: 1 });
    });
    afterAll(async () => {
      expect({ inside: inside.connections, left: await leftovers(world) }).toEqual({ inside: 0, left: [] });
      origin.close();
      inside.close();
      names.close();
      await world.close();
      await mounts.close();
    });

    const resolvConf = () => join(mounts.folder, 'resolv.conf');
    const askAt = ({ address }: NameServer) => writeFileSync(resolvConf(), `nameserver ${address}\n`);

    let count = 0;
    /**
     * Returns a new name for the origin. The name server gives these answers to queries for the name in turn, and then
     * repeats the last one.
     */
    function called(...answers: readonly (readonly string[] | 'nothing' | 'silence')[]): string {
      count += 1;
      const name = `name-${count}.example.test`;
      const before = names.answer;
      let turn = 0;
      names.answer = (asked) => {
        if (asked !== name) return before(asked);
        turn += 1;
        return answers[Math.min(turn, answers.length) - 1] ?? 'nothing';
      };
      return name;
    }
    const at = (page: Page, name: string) => `${origin.base(name)}${page.path}`;

    test('is resolved once per request, which connects to the checked address', async () => {
      for (let round = 0; round < 5; round += 1) {
        const name = called([OUTSIDE], [INSIDE]);
        const page = origin.page('beach.jpg', serve(jpeg()));
        await expectActive(world, stored(await importUrl(world, at(page, name))), jpeg());
        expect(names.asked.filter((asked) => asked === name)).toHaveLength(1);
      }
    });

    test('is refused if one of its addresses is private', async () => {
      for (const addresses of [[OUTSIDE, INSIDE], [INSIDE, OUTSIDE], [INSIDE]]) {
        const page = origin.page('beach.jpg', serve(jpeg()));
        expectRefused(await importUrl(world, at(page, called(addresses))), 422);
        expect(page.requests).toHaveLength(0);
      }
    });

    test('fails the import if it resolves to a private address on a retry', async () => {
      const page = origin.page('beach.jpg', inTurn(status(503), serve(jpeg())));
      const rebound = accepted(await importUrl(world, at(page, called([OUTSIDE], [INSIDE]))));
      await expectFailed(world, await settled(world, rebound), /not publicly reachable/);
      expect(page.requests).toHaveLength(1);
      const moved = origin.page('late.jpg', serve(jpeg()));
      const item = accepted(await importUrl(world, at(moved, called([NOBODY], [OUTSIDE]))));
      await expectActive(world, await settled(world, item), jpeg());
    });

    test('is refused if it resolves to a private address after a redirect', async () => {
      const name = called([OUTSIDE], [INSIDE]);
      const target = origin.page('beach.jpg', serve(jpeg()));
      const page = origin.page('moved.jpg', redirect(at(target, name)));
      expectRefused(await importUrl(world, at(page, name)), 422);
      expect(target.requests).toHaveLength(0);
    });

    test('that does not exist initially is found by a retry', async () => {
      const page = origin.page('beach.jpg', serve(jpeg()));
      const item = accepted(await importUrl(world, at(page, called('nothing', 'nothing', [OUTSIDE]))));
      await expectActive(world, await settled(world, item), jpeg());
    });

    test('delays no other import while its name server is silent', async () => {
      const held = descriptors(world.server.pid).length;
      const pages = Array.from({ length: FETCHES_PER_WORKSPACE }, () => origin.page('beach.jpg', serve(jpeg())));
      using stopwatch = startStopwatch();
      const isSilent = (name: string): boolean => name.startsWith('silent-');
      let silent = true;
      const before = names.answer;
      names.answer = (name) => (isSilent(name) ? (silent ? 'silence' : [OUTSIDE]) : before(name));
      let answered = 0;
      const imports = pages.map(async (page, index) => {
        const reply = await importUrl(world, at(page, `silent-${index}.example.test`));
        answered += 1;
        return reply;
      });
      // While these names are being resolved, uploads and other imports must work. getaddrinfo(3) would occupy all
      // threads of the pool, which also handles files.
      await until('all are being resolved', () => new Set(names.asked.filter(isSilent)).size === pages.length);
      const next = origin.page('beach.jpg', serve(jpeg()));
      const waiting = importUrl(world, at(next, called([OUTSIDE])));
      const elsewhere = origin.page('beach.jpg', serve(jpeg()));
      const [imported, uploaded, made] = await Promise.all([
        importUrl(world, at(elsewhere, called([OUTSIDE])), {}, { token: 'foreign' }),
        upload(world),
        makeFolder(world),
        expectReady(world),
      ]);
      expect({ answered, next: next.requests.length }).toEqual({ answered: 0, next: 0 });
      const foreign = stored(imported);
      expect([uploaded.status, made.status]).toEqual([201, 201]);
      const items = (await Promise.all(imports)).map(accepted);
      expect(stopwatch.elapsed()).toBeLessThan(NAME_TIMEOUT + SLACK);
      await expectActive(world, stored(await waiting), jpeg());
      silent = false;
      for (const item of items) await expectActive(world, await settled(world, item), jpeg());
      expect(descriptors(world.server.pid).length).toBeLessThan(held + 5);
      expect((await world.call(`DELETE /media_contents/${foreign.id}`, { token: 'foreign' })).status).toBe(204);
    });

    test("is resolved by the machine's name servers, even after they change", async () => {
      const other = await NameServer.open();
      other.answer = () => [OUTSIDE];
      try {
        askAt(other);
        const page = origin.page('beach.jpg', serve(jpeg()));
        await expectActive(world, stored(await importUrl(world, at(page, 'elsewhere.example.test'))), jpeg());
        expect(other.asked).toEqual(['elsewhere.example.test']);
      } finally {
        askAt(names);
        other.close();
      }
    });
  },
);
