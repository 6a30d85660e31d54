import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bigMp4 } from '@postshelf/testing/fixtures';
import { selfSigned } from '../imports/support/certificates.ts';
import { perFileLimit } from '../support/big-body.ts';
import { filesBelow } from '../support/disk.ts';
import { sized } from '../support/long.ts';
import { freePort, scratchFolder } from '../support/server.ts';
import { mediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { words } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { isInstalled, limitedNginx, type Place, proxies, type RunningProxy, startProxy } from './support/proxies.ts';

const MIB = 1024 * 1024;
// Bytes of the file. After an early refusal, the runtime itself reads the rest of a body with less than 64 MiB.
const size = sized(60 * MIB, perFileLimit);

const folder = scratchFolder();
const video = join(folder, 'film.mp4');
beforeAll(() => bigMp4(video, size));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

for (const kind of proxies)
  describe.skipIf(!isInstalled(kind))(`behind ${kind.name} as documented`, () => {
    let world: World;
    let proxy: RunningProxy;
    let place: Place;

    beforeAll(async () => {
      const [port, plain, upstream] = [await freePort(), await freePort(), await freePort()];
      const { certPath, keyPath } = await selfSigned(folder, `${kind.name}-proxy`, ['127.0.0.1']);
      place = { port, plain, upstream, certificate: certPath, key: keyPath };
      const settings = { PORT: String(upstream), PUBLIC_URL: `https://127.0.0.1:${port}`, TRUST_PROXY: 'true' };
      world = await World.openAlone({ ...onDisk, ...settings });
      proxy = await startProxy(kind, place);
    });
    afterAll(async () => {
      await proxy?.end();
      await world?.close();
    });

    const curl = (token: string | undefined, ...args: readonly string[]) =>
      Bun.spawn(['curl', '-sSk', '-H', `Authorization: Bearer ${token}`, ...args], { stdout: 'pipe', stderr: 'pipe' });
    const at = (path: string): string => `https://127.0.0.1:${place.port}${path}`;
    const upload = (token: string | undefined, ...args: readonly string[]) =>
      curl(token, ...args, '-F', `files[]=@${video}`, at(`/v1/workspaces/${world.ids.workspace}/media_contents`));

    test('a large file is streamed in both directions, and not buffered by the proxy', async () => {
      const before = proxy.buffered();
      const running = upload(world.tokens.all, '--limit-rate', sized('30M', '80M'));
      // The service gets the first bytes before the client has sent half of the file.
      await until('Postshelf has some of the file', () => staged() > MIB);
      expect(staged()).toBeLessThan(size / 2);
      expect(running.exitCode).toBeNull();
      const { data } = JSON.parse(await new Response(running.stdout).text());
      const item = mediaItem(data[0]);
      expect(item).toMatchObject({ status: 'active', size });
      expect(proxy.buffered() - before).toBeLessThan(MIB);

      const back = join(folder, `${kind.name}.mp4`);
      expect(item.link).toStartWith(`https://127.0.0.1:${place.port}/files/`);
      expect(await curl(world.tokens.all, '-o', back, item.link).exited).toBe(0);
      expect(await sha256(back)).toBe(await sha256(video));
      expect(proxy.buffered() - before).toBeLessThan(MIB);
    });

    /** The number of bytes in staged files. */
    const staged = (): number =>
      filesBelow(world.dataDir)
        .filter((path) => path.includes('.staging'))
        .reduce((sum, path) => sum + sizeOf(join(world.dataDir, path)), 0);

    test("the service's errors are passed on unchanged before the body is sent", async () => {
      const running = upload('no', '--limit-rate', '1M', '-w', '\n%{http_code} %{size_upload}');
      const [body = '', summary = ''] = (await new Response(running.stdout).text()).split('\n');
      expect(body).toBe('{"message":"Unauthenticated."}');
      const [status, sent] = summary.split(' ').map(Number);
      expect(status).toBe(401);
      expect(sent).toBeLessThan(size / 4);
    });

    test('the client gets the request id that is logged, and cannot forge its IP address', async () => {
      const headers = [
        '-H',
        'X-Request-Id: forged',
        '-H',
        'X-Forwarded-For: 203.0.113.9',
        '-D',
        '-',
        '-o',
        '/dev/null',
      ];
      const running = curl(
        world.tokens.all,
        ...headers,
        at(`/v1/workspaces/${world.ids.workspace}/media_library/folders`),
      );
      const head = await new Response(running.stdout).text();
      const [, id] = /^x-request-id: (\S+)$/im.exec(head) ?? [];
      expect(id).not.toBe('forged');
      await until('the request is in the log', () => world.server.log().includes(`"${id}"`));
      expect(world.server.log()).toContain('"address":"127.0.0.1"');
      expect(world.server.log()).not.toContain('203.0.113.9');
    });

    test.each(['/metrics', '/health', '/ready'])('%s is not public', async (path) => {
      expect((await fetch(`${world.server.url}${path}`)).status).toBe(200);
      const running = curl(undefined, '-w', '\n%{http_code}', at(path));
      expect(await new Response(running.stdout).text()).toMatch(/^\{"message":"not found\."\}\n404$/i);
    });

    test('/metrics is not public in any other spelling', async () => {
      const spellings = words(
        '/NAME/ //NAME //NAME/ /NAME// /./NAME /x/../NAME /NAME?x /NAME;x /NAME%2f /METRICS /%6detrics',
      );
      for (const path of spellings.map((spelling) => spelling.replace('NAME', 'metrics'))) {
        const running = curl(undefined, '--path-as-is', '-w', '\n%{http_code}', at(path));
        const [body = '', status] = (await new Response(running.stdout).text()).split('\n');
        expect(`${path} ${status}`).toBe(`${path} 404`);
        expect(body).toMatch(/^\{"message":"not found\."\}$/i);
      }
    });

    test("all responses have HSTS, including the proxy's own", async () => {
      for (const path of ['/v1/openapi.json', '/v1/nowhere', '/metrics']) {
        const running = curl(undefined, '-D', '-', '-o', '/dev/null', at(path));
        expect(await new Response(running.stdout).text()).toMatch(/^strict-transport-security: max-age=\d{8}\r$/im);
      }
    });

    test('the proxy also listens on IPv6, and redirects plain HTTP to TLS', async () => {
      const ask = async (port: number, address: string): Promise<string> => {
        const by6 = ['--connect-to', `127.0.0.1:${port}:[::1]:${port}`, '-o', '/dev/null'];
        const running = curl(undefined, ...by6, '-w', '%{http_code} %{remote_ip} %{redirect_url}', address);
        return new Response(running.stdout).text();
      };
      const path = '/v1/openapi.json?x=1';
      expect(await ask(place.port, at(path))).toBe('200 ::1 ');
      const answer = await ask(place.plain, `http://127.0.0.1:${place.plain}${path}`);
      expect(answer).toMatch(/^308 ::1 https:\/\/127\.0\.0\.1(:\d+)?\/v1\/openapi\.json\?x=1$/);
    });

    test("the proxy's own errors have the form of the API", async () => {
      const headers = ['-H', 'Content-Length: 3000000000', '-H', 'Content-Type: application/json'];
      const big = [...headers, '-d', '{}', '-w', '\n%{http_code}'];
      const tooLarge = curl(world.tokens.all, ...big, at(`/v1/workspaces/${world.ids.workspace}/media_contents`));
      expect(await new Response(tooLarge.stdout).text()).toMatch(/^\{"message":"[^"]+"\}\n(413|502)$/);
      await world.server.end();
      const away = curl(world.tokens.all, '-w', '\n%{http_code}', at('/v1/openapi.json'));
      expect(await new Response(away.stdout).text()).toMatch(/^\{"message":"[^"]+"\}\n502$/);
    });
  });

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

describe.skipIf(!isInstalled(limitedNginx))('behind nginx with only proxy_pass', () => {
  test('all of 20 refused uploads get the response of the service', async () => {
    const [port, upstream] = [await freePort(), await freePort()];
    const settings = { PORT: String(upstream), PUBLIC_URL: `http://127.0.0.1:${port}` };
    const world = await World.openAlone({ ...onDisk, ...settings });
    const proxy = await startProxy(limitedNginx, { port, upstream, megabytes: 300 });
    try {
      const url = `http://127.0.0.1:${port}/v1/workspaces/${world.ids.workspace}/media_contents`;
      const statuses = Array.from({ length: 20 }, async () => {
        const form = new FormData();
        form.append('files[]', new Blob([new Uint8Array(8 * MIB)]), 'a.jpg');
        const answer = await fetch(url, { method: 'POST', headers: { Authorization: 'Bearer no' }, body: form });
        return `${answer.status} ${await answer.text()}`;
      });
      expect(new Set(await Promise.all(statuses))).toEqual(new Set(['401 {"message":"Unauthenticated."}']));
    } finally {
      await proxy.end();
      await world.close();
    }
  });
});
