import { describe, expect, test } from 'bun:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RemoteFiles } from '@postshelf/domain';
import { createAuthority } from '@postshelf/testing/certificates';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { download, filesFromLoopback, never } from './support/fetching.ts';
import { givingAndKeeping, redirecting, saying, startOrigin } from './support/origin.ts';

const resolve = async () => [{ address: '127.0.0.1', family: 4 } as const];

/** Downloads a file, and waits until its connection is either closed or idle. */
async function downloadOne(files: RemoteFiles, url: string): Promise<string> {
  const text = await download(files, url);
  await nextTurn();
  return text;
}

describe('the connection of an import', () => {
  test('is kept for the next file from the host', async () => {
    await using origin = await startOrigin(givingAndKeeping('picture'));
    const files = filesFromLoopback();
    for (const path of ['a', 'b', 'c']) expect(await downloadOne(files, `${origin.url}/${path}`)).toBe('picture');
    expect(origin.visits.map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
    expect(origin.connections).toBe(1);
  });

  test('is kept over TLS', async () => {
    const authority = await createAuthority();
    const { cert, key } = await authority.issue(['files.test']);
    await using origin = await startOrigin(givingAndKeeping('picture'), { tls: { cert, key } });
    const files = filesFromLoopback({ resolve, ca: authority.cert });
    for (const path of ['a', 'b']) {
      expect(await downloadOne(files, `https://files.test:${origin.port}/${path}`)).toBe('picture');
    }
    expect(origin.connections).toBe(1);
  });

  test('is not used for another host at the same address', async () => {
    await using origin = await startOrigin(givingAndKeeping('picture'));
    const files = filesFromLoopback({ resolve });
    for (const host of ['a.test', 'b.test']) await downloadOne(files, `http://${host}:${origin.port}/`);
    expect(origin.connections).toBe(2);
  });

  test('is not used for a name that leads to an internal address in the meantime', async () => {
    await using origin = await startOrigin(givingAndKeeping('picture'));
    const answers = ['127.0.0.1', '127.0.0.2'];
    const files = filesFromLoopback({
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    const url = `http://files.test:${origin.port}/`;
    expect(await downloadOne(files, url)).toBe('picture');
    expect(await outcomeOf(downloadOne(files, url))).toThrow('The host files.test is not publicly reachable.');
    expect(origin.visits).toHaveLength(1);
  });

  test('is not kept if the file is not read to its end', async () => {
    await using origin = await startOrigin(
      ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npicture'),
    );
    const files = filesFromLoopback();
    for (let count = 0; count < 2; count += 1) {
      (await files.open(origin.url, { signal: never() })).close();
      await origin.allClosed();
    }
    expect(origin.connections).toBe(2);
  });

  test('is replaced if the server has closed it without saying so', async () => {
    const withoutNotice = saying('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\npicture');
    await using origin = await startOrigin(withoutNotice);
    const files = filesFromLoopback();
    for (let count = 0; count < 3; count += 1) expect(await downloadOne(files, origin.url)).toBe('picture');
    expect(origin.connections).toBe(3);
  });

  test('is replaced if the server closes it at the next request', async () => {
    let requests = 0;
    await using origin = await startOrigin((visit) => {
      requests += 1;
      if (requests === 2) visit.socket.destroy();
      else givingAndKeeping('picture')(visit);
    });
    const files = filesFromLoopback();
    for (const path of ['a', 'b']) expect(await downloadOne(files, `${origin.url}/${path}`)).toBe('picture');
    expect(origin.visits.map(({ path }) => path)).toEqual(['/a', '/b', '/b']);
    expect(origin.connections).toBe(2);
  });

  test('is replaced if the previous response went on after its declared end', async () => {
    await using origin = await startOrigin(
      ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\npicture and more'),
    );
    const files = filesFromLoopback();
    for (let count = 0; count < 3; count += 1) expect(await downloadOne(files, origin.url)).toBe('picture');
  });

  test('is kept to at most 32 hosts', async () => {
    await using origin = await startOrigin(givingAndKeeping('picture'));
    const files = filesFromLoopback({ resolve });
    const urlOf = (host: number) => `http://${host}.test:${origin.port}/`;
    for (let host = 1; host <= 33; host += 1) await downloadOne(files, urlOf(host));
    await downloadOne(files, urlOf(1));
    expect(origin.connections).toBe(33);
    await downloadOne(files, urlOf(33));
    expect(origin.connections).toBe(34);
  });
});

describe('a redirect', () => {
  test('is followed over a new connection', async () => {
    await using origin = await startOrigin((visit) =>
      visit.path === '/start' ? redirecting('/end')(visit) : givingAndKeeping('picture')(visit),
    );
    expect(await downloadOne(filesFromLoopback(), `${origin.url}/start`)).toBe('picture');
    expect(origin.connections).toBe(2);
  });
});
