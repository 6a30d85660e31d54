import { describe, expect, test } from 'bun:test';
import type { TLSSocket } from 'node:tls';
import { createRemoteFiles, type RemoteFilesOptions } from '@postshelf/media';
import { type Certificate, createAuthority, createSelfSigned } from '@postshelf/testing/certificates';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { download, filesFromLoopback, never, problemOf } from './support/fetching.ts';
import { giving, redirecting, saying, startOrigin } from './support/origin.ts';

const authority = await createAuthority();

const trusting = (options: RemoteFilesOptions = {}) =>
  filesFromLoopback({ resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: authority.cert, ...options });

const secure = ({ cert, key }: Certificate) => ({ tls: { cert, key } });

const REJECTED: Readonly<Record<string, Certificate>> = {
  'that is self-signed': await createSelfSigned(['files.test']),
  'signed by an unknown authority': await (await createAuthority()).issue(['files.test']),
  'for another name': await authority.issue(['other.test']),
  'for a parent domain': await authority.issue(['test']),
  'for a subdomain': await authority.issue(['www.files.test']),
  'for the address only': await authority.issue(['127.0.0.1']),
  'for no name': await authority.issue([]),
  'that has expired': await authority.issue(['files.test'], { from: -2, to: -1 }),
  'that is not yet valid': await authority.issue(['files.test'], { from: 1, to: 2 }),
};

describe('an import over TLS', () => {
  test('accepts a certificate for the name', async () => {
    const names: unknown[] = [];
    await using origin = await startOrigin(
      (visit) => {
        names.push((visit.socket as TLSSocket).servername);
        giving('picture')(visit);
      },
      secure(await authority.issue(['files.test'])),
    );
    for (const host of ['files.test', 'FILES.test', 'files.test.']) {
      expect(await download(trusting(), `https://${host}:${origin.port}/`)).toBe('picture');
    }
    expect(names).toEqual(['files.test', 'files.test', 'files.test']);
    expect(origin.visits.map(({ head }) => /\r\nHost: (.*)\r\n/.exec(head)?.[1])).toEqual(
      names.map(() => `files.test:${origin.port}`),
    );
  });

  test('accepts a certificate for the address', async () => {
    await using origin = await startOrigin(giving('picture'), secure(await authority.issue(['127.0.0.1'])));
    expect(await download(trusting(), `https://127.0.0.1:${origin.port}/`)).toBe('picture');
  });

  test.each(Object.entries(REJECTED))(
    'requests nothing from a server with a certificate %s',
    async (_what, certificate) => {
      await using origin = await startOrigin(giving('secret'), secure(certificate));
      const problem = await problemOf(trusting().open(`https://files.test:${origin.port}/`, { signal: never() }));
      const message = 'The certificate of files.test could not be verified.';
      expect(problem).toEqual({ kind: 'failed', message, mayRecover: false });
      await origin.allClosed();
      expect(origin.visits).toEqual([]);
    },
  );

  test('requires a separate certificate for each name at one address', async () => {
    await using origin = await startOrigin(giving('picture'), secure(await authority.issue(['files.test'])));
    const files = trusting();
    for (let round = 0; round < 2; round += 1) {
      expect(await download(files, `https://files.test:${origin.port}/`)).toBe('picture');
      const other = download(files, `https://other.test:${origin.port}/`);
      expect(await outcomeOf(other)).toThrow('The certificate of other.test could not be verified.');
    }
    expect(origin.visits).toHaveLength(2);
  });

  test('requires a certificate for the name at each of its addresses', async () => {
    const resolve = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }) as const);
    const files = trusting({ allowedNetworks: ['127.0.0.0/8'], resolve });
    for (const name of ['files.test', 'other.test']) {
      await using origin = await startOrigin(giving('picture'), {
        host: '127.0.0.2',
        ...secure(await authority.issue(['files.test', '127.0.0.2'])),
      });
      const downloading = download(files, `https://${name}:${origin.port}/`);
      if (name === 'files.test') expect(await downloading).toBe('picture');
      else expect(await outcomeOf(downloading)).toThrow('The certificate of other.test could not be verified.');
    }
  });

  test('rejects a certificate for another address', async () => {
    await using origin = await startOrigin(
      giving('secret'),
      secure(await authority.issue(['127.0.0.2', 'files.test'])),
    );
    expect(await outcomeOf(download(trusting(), `https://127.0.0.1:${origin.port}/`))).toThrow('could not be verified');
    expect(origin.visits).toEqual([]);
  });

  test('trusts only known authorities by default, whatever the environment says', async () => {
    await using origin = await startOrigin(giving('secret'), secure(await authority.issue(['127.0.0.1'])));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    try {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      expect(await outcomeOf(download(filesFromLoopback(), `${origin.url}/`))).toThrow('could not be verified');
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
    expect(origin.visits).toEqual([]);
  });

  test('checks the address before the certificate', async () => {
    await using origin = await startOrigin(giving('secret'), secure(await authority.issue(['127.0.0.1'])));
    const files = createRemoteFiles({ ca: authority.cert });
    expect(await outcomeOf(download(files, origin.url))).toThrow('The host 127.0.0.1 is not publicly reachable.');
    expect(await download(trusting(), origin.url)).toBe('secret');
    expect(origin.connections).toBe(1);
  });

  test('fails for a server without TLS', async () => {
    await using origin = await startOrigin(giving('secret'), { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' });
    const problem = await problemOf(trusting().open(`https://files.test:${origin.port}/`, { signal: never() }));
    const message = 'A secure connection to files.test could not be made.';
    expect(problem).toEqual({ kind: 'failed', message, mayRecover: true });
    expect(origin.visits).toEqual([]);
  });

  test.each(['http', 'https'] as const)('follows redirects from %s to the other scheme', async (scheme) => {
    const certificate = secure(await authority.issue(['files.test']));
    const other = scheme === 'http' ? 'https' : 'http';
    await using target = await startOrigin(giving('picture'), other === 'https' ? certificate : {});
    await using first = await startOrigin(
      redirecting(`${other}://files.test:${target.port}/`),
      scheme === 'https' ? certificate : {},
    );
    expect(await download(trusting(), `${scheme}://files.test:${first.port}/`)).toBe('picture');
  });

  test('fails for a truncated body', async () => {
    await using origin = await startOrigin(
      saying('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      secure(await authority.issue(['files.test'])),
    );
    expect(await outcomeOf(download(trusting(), `https://files.test:${origin.port}/`))).toThrow('cut off the download');
  });
});
