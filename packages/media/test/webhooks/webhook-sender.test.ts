import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Attempt, DeliveryError, Uuid } from '@postshelf/domain';
import { createWebhookSender, type WebhookSenderOptions } from '@postshelf/media';
import { createAuthority, createSelfSigned } from '@postshelf/testing/certificates';
import { thrownBy } from '@postshelf/testing/outcomes';
import { startStopwatch } from '@postshelf/testing/waiting';
import { Webhook } from 'standardwebhooks';
import { connectionsTo, never } from '../imports/support/fetching.ts';
import {
  type Answer,
  giving,
  type Origin,
  redirecting,
  saying,
  silence,
  startOrigin,
} from '../imports/support/origin.ts';
import { ADDRESSES, DISGUISES, INVALID, NAMES, WITH_CREDENTIALS, WRONG_SCHEMES } from '../support/hostile-urls.ts';
import { words } from '../support/words.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057' as Uuid;
const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const [NEW, OLD] = [secretOf(1), secretOf(2)];
const PAYLOAD = JSON.stringify({ type: 'webhook.test', data: { label: 'Küste 🌊' } });

const toLoopback = (options: WebhookSenderOptions = {}) =>
  createWebhookSender({ allowedNetworks: ['127.0.0.1/32'], ...options });

const send = (url: string, options: WebhookSenderOptions = {}, signal = never()): Promise<Attempt> =>
  toLoopback(options).send({ url, id: ID, at: Date.now(), payload: PAYLOAD, secrets: [NEW], signal });

const because = (error: DeliveryError, status: number | null = null): Attempt => ({ ok: false, status, error });

interface Sent {
  readonly lines: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns an answer that is sent only once the request's body has arrived, and a promise of that request. */
function receiving(answer: Answer): { readonly answer: Answer; readonly sent: Promise<Sent> } {
  const { promise: sent, resolve } = Promise.withResolvers<Sent>();
  return {
    sent,
    answer: (visit) => {
      let received = Buffer.from(visit.head, 'latin1');
      const look = (): void => {
        const end = received.indexOf('\r\n\r\n');
        const lines = received.subarray(0, end).toString('latin1').split('\r\n');
        const headers = Object.fromEntries(
          lines.slice(1).map((line) => {
            const [name = '', ...value] = line.split(': ');
            return [name.toLowerCase(), value.join(': ')];
          }),
        );
        const body = received.subarray(end + 4);
        if (body.length < Number(headers['content-length'])) return;
        resolve({ lines, headers, body: body.toString() });
        answer(visit);
      };
      visit.socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        look();
      });
      look();
    },
  };
}

async function answeredBy(answer: Answer, options: WebhookSenderOptions = {}): Promise<Attempt> {
  await using origin = await startOrigin(answer);
  const attempt = await send(origin.url, options);
  await origin.allClosed();
  return attempt;
}

const authority = await createAuthority();
const refused = [
  ['for another name', await authority.issue(['other.test'])],
  ['that expired', await authority.issue(['hooks.test'], { from: -2, to: -1 })],
  ['that is self-signed', await createSelfSigned(['hooks.test'])],
] as const;

describe('a webhook request', () => {
  test('has the expected header lines and the payload', async () => {
    const { answer, sent } = receiving(giving(''));
    await using origin = await startOrigin(answer);
    const url = `${origin.url}/hooks?key=a%20b#fragment`;
    const at = 1_767_225_600_999;
    await toLoopback().send({ url, id: ID, at, payload: PAYLOAD, secrets: [NEW], signal: never() });
    const { lines, body } = await sent;
    expect(lines).toEqual([
      'POST /hooks?key=a%20b HTTP/1.1',
      `Host: 127.0.0.1:${origin.port}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(PAYLOAD)}`,
      `webhook-id: ${ID}`,
      'webhook-timestamp: 1767225600',
      `webhook-signature: ${new Webhook(NEW).sign(ID, new Date(at), PAYLOAD)}`,
      'User-Agent: Postshelf/1.0',
      'Connection: close',
    ]);
    expect(body).toBe(PAYLOAD);
  });

  test('has a signature for each secret that receivers can verify', async () => {
    const { answer, sent } = receiving(giving(''));
    await using origin = await startOrigin(answer);
    const request = { url: origin.url, id: ID, at: Date.now(), payload: PAYLOAD, secrets: [NEW, OLD], signal: never() };
    expect(await toLoopback().send(request)).toEqual({ ok: true, status: 200 });
    const { headers, body } = await sent;
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]+=* v1,[\w+/]+=*$/);
    for (const secret of [NEW, OLD]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(PAYLOAD));
    expect(() => new Webhook(secretOf(3)).verify(body, headers)).toThrow();
    expect(() => new Webhook(NEW).verify(`${body} `, headers)).toThrow();
  });
});

describe('a webhook response', () => {
  const status = (code: number) => saying(`HTTP/1.1 ${code} Some\r\nContent-Length: 0\r\n\r\n`);

  test.each([200, 201, 202, 204, 206, 299])('with status %i counts as delivered', async (code) => {
    expect(await answeredBy(status(code))).toEqual({ ok: true, status: code });
  });

  test.each([400, 404, 410, 429, 500, 503, 599, 999])('with status %i is a failure', async (code) => {
    expect(await answeredBy(status(code))).toEqual(because('status', code));
  });

  test.each<[number, string, number | null]>([
    [429, '120', 120_000],
    [503, '0', 0],
    [503, 'Fri, 31 Dec 9999 23:59:59 GMT', Date.parse('9999-12-31T23:59:59Z')],
    [429, 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
    [429, 'soon', null],
    [429, '-1', null],
    [429, '1e9', null],
    [500, '120', null],
  ])('with status %i and Retry-After: %s says how long to wait', async (code, retryAfter, expected) => {
    const answer = saying(`HTTP/1.1 ${code} Busy\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\n\r\n`);
    const attempt = await answeredBy(answer);
    expect(attempt).toMatchObject({ ok: false, status: code, error: 'status' });
    const waited = attempt.ok ? null : (attempt.retryAfter ?? null);
    // A date is relative to when the request was made.
    const isDate = expected !== null && expected > 1_000_000;
    expect(waited === null ? null : Math.round((waited + (isDate ? Date.now() : 0)) / 60_000)).toBe(
      expected === null ? null : Math.round(expected / 60_000),
    );
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('with status %i is a failure and is not followed', async (code) => {
    await using target = await startOrigin(giving(''));
    expect(await answeredBy(redirecting(`${target.url}/`, code))).toEqual(because('redirect', code));
    expect(await connectionsTo(target)).toBe(0);
  });

  test('with status 101 is a failure', async () => {
    const answer = saying('HTTP/1.1 101 Switching\r\nUpgrade: h2\r\nConnection: upgrade\r\n\r\n');
    expect(await answeredBy(answer)).toEqual(because('status', 101));
  });

  const OK = 'HTTP/1.1 200 OK\r\n';
  test.each<[string, Answer]>([
    [
      'an endless body',
      ({ socket }) => {
        socket.write(`${OK}\r\n`);
        const more = (): void => {
          if (!socket.destroyed) socket.write(Buffer.alloc(16_384), more);
        };
        more();
      },
    ],
    ['a body that stops', ({ socket }) => socket.write(`${OK}Content-Length: 9\r\n\r\nabc`)],
    ['a body that breaks off', saying(`${OK}Content-Length: 9\r\n\r\nabc`)],
    ['tiny chunks', saying(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(100_000))],
    ['a compressed body', saying(`${OK}Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc`)],
    [
      'early hints before it',
      saying('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', `${OK}Content-Length: 0\r\n\r\n`),
    ],
  ])('with %s counts as delivered, and the connection is closed', async (_what, answer) => {
    expect(await answeredBy(answer)).toEqual({ ok: true, status: 200 });
  });
});

describe('a webhook receiver', () => {
  const drip: Answer = ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('X: y\r\n'), 20);
    socket.once('close', () => clearInterval(timer));
  };

  test.each([
    ['sends nothing', silence],
    ['drips its header lines', drip],
    ['stops after an interim response', ({ socket }) => socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
  ] satisfies [string, Answer][])('that %s times out', async (_what, answer) => {
    using stopwatch = startStopwatch();
    expect(await answeredBy(answer, { timeout: 300 })).toEqual(because('timeout'));
    expect(stopwatch.passed()).toBeGreaterThan(290);
    expect(stopwatch.elapsed()).toBeLessThan(2000);
  });

  test('whose lookup never ends times out', async () => {
    const attempt = await send('https://slow.test/', { timeout: 50, resolve: () => new Promise(() => {}) });
    expect(attempt).toEqual(because('timeout'));
  });

  test('whose TLS handshake never ends times out', async () => {
    await using origin = await startOrigin(silence);
    expect(await send(`https://127.0.0.1:${origin.port}/`, { timeout: 300 })).toEqual(because('timeout'));
    await origin.allClosed();
  });

  test.each<[string, Answer]>([
    ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
    ['closes the connection', ({ socket }) => socket.end()],
    ['does not speak HTTP', saying('SSH-2.0-OpenSSH_9.9\r\n')],
    ['sends a head of 20 kB', saying(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)],
    ['sends thousands of interim responses', saying('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(5000))],
  ])('that %s is unreachable', async (_what, answer) => {
    expect(await answeredBy(answer)).toEqual(because('unreachable'));
  });

  test('that refuses connections is unreachable', async () => {
    const origin = await startOrigin(giving(''));
    await origin.close();
    expect(await send(origin.url)).toEqual(because('unreachable'));
  });

  test.each(refused)('with a certificate %s gets nothing', async (_what, certificate) => {
    await using origin = await startOrigin(giving(''), { tls: certificate });
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }] as const;
    const options = { resolve, ca: authority.cert };
    expect(await send(`https://hooks.test:${origin.port}/`, options)).toEqual(because('tls'));
    await origin.allClosed();
    expect(origin.visits).toEqual([]);
  });

  test('without TLS gets nothing over https', async () => {
    await using origin = await startOrigin(giving(''), { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' });
    expect(await send(`https://127.0.0.1:${origin.port}/`)).toEqual(because('tls'));
  });

  test('gets the request over TLS with a certificate for its name', async () => {
    await using origin = await startOrigin(giving(''), { tls: await authority.issue(['hooks.test']) });
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }] as const;
    const options = { resolve, ca: authority.cert };
    expect(await send(`https://hooks.test:${origin.port}/`, options)).toEqual({ ok: true, status: 200 });
  });
});

test('an abort ends an attempt with the reason of the abort', async () => {
  await using origin = await startOrigin(silence);
  const controller = new AbortController();
  const sending = send(origin.url, {}, controller.signal);
  await origin.nextVisit();
  const reason = new Error('stopping');
  controller.abort(reason);
  expect(await thrownBy(sending)).toBe(reason);
  await origin.allClosed();
  expect(await thrownBy(send(origin.url, {}, controller.signal))).toBe(reason);
});

describe('a webhook to a hostile URL', () => {
  let inside: Origin;
  beforeAll(async () => {
    inside = await startOrigin(giving('secret'));
  });
  afterAll(async () => {
    expect(await connectionsTo(inside)).toBe(0);
    await inside.close();
  });

  const sender = createWebhookSender();
  const trySending = (url: string, of = sender) =>
    of.send({ url, id: ID, at: Date.now(), payload: PAYLOAD, secrets: [NEW], signal: never() });
  const notPublic = (url: string): string => `The host ${new URL(url).hostname} is not publicly reachable.`;

  describe.each(Object.entries(ADDRESSES))('%s', (_kind, hosts) => {
    test.each(hosts)('is not sent to %j', async (host) => {
      const url = `http://${host}:${inside.port}/`;
      expect(sender.refuse(url)).toBe(notPublic(url));
      expect(await trySending(url)).toEqual(because('not_public'));
    });
  });

  test.each(DISGUISES)('is not sent to %j', async (shown) => {
    const url = shown.replace('HOST', `127.0.0.1:${inside.port}`);
    expect(sender.refuse(url)).toBe('The host 127.0.0.1 is not publicly reachable.');
    expect(await trySending(url)).toEqual(because('not_public'));
  });

  test.each(Object.entries(NAMES))('is not sent to %s, a name with an internal address', async (name, addresses) => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return addresses;
    };
    const url = `http://${name}:${inside.port}/`;
    expect(await trySending(url, createWebhookSender({ resolve }))).toEqual(because('not_public'));
    // The name is looked up only once, because a second lookup might return another address.
    expect(asked).toHaveLength(1);
  });

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'LocalHost.',
    'hooks.localhost',
    'ｌｏｃａｌｈｏｓｔ',
    '%6cocalhost',
  ])('is not sent to %s, a name for this machine', (name) => {
    const url = `http://${name}:${inside.port}/`;
    expect(sender.refuse(url)).toBe(notPublic(url));
  });

  test.each(WRONG_SCHEMES)('is not sent to %s, which has another scheme', async (url) => {
    expect(sender.refuse(url)).toBe('The URL must begin with http:// or https://.');
    expect(await trySending(url)).toEqual(because('not_public'));
  });

  test.each(INVALID)('is not sent to %j, which is invalid', async (url) => {
    expect(sender.refuse(url)).toBe('The URL is not valid.');
    expect(await trySending(url)).toEqual(because('not_public'));
  });

  test.each(WITH_CREDENTIALS)('is not sent to http://%s…, which has credentials', async (credentials) => {
    const url = `http://${credentials}8.8.8.8/`;
    expect(sender.refuse(url)).toBe('The URL must not hold a user name or a password.');
    expect(await trySending(url)).toEqual(because('not_public'));
  });

  test('is not sent to an unknown name', async () => {
    const resolve = async () => {
      throw new Error('ENOTFOUND');
    };
    expect(await trySending('http://gone.test/', createWebhookSender({ resolve }))).toEqual(because('not_found'));
    expect(await trySending('http://gone.test/', createWebhookSender({ resolve: async () => [] }))).toEqual(
      because('not_found'),
    );
  });
});

describe('allowed networks', () => {
  test.each(
    words(`
      https://hooks.test/a?b=c http://8.8.8.8/ https://[2606:4700::1]:8443/ http://[64:ff9b::808:808]/
      http://hooks.test:1/
    `),
  )('are not needed for %s', (url) => {
    expect(createWebhookSender().refuse(url)).toBe(null);
  });

  const ALLOWED = words('10.0.0.0/8 127.0.0.1/32:8080 [::1]/128:9000 fd00::/8 192.0.2.1/32:443');
  const sender = createWebhookSender({ allowedNetworks: ALLOWED });
  const isRefused = (url: string): boolean => sender.refuse(url) !== null;

  test.each(
    words(`
      http://10.1.2.3/ http://10.1.2.3:9/ http://127.0.0.1:8080/ https://127.1:8080/ http://[::1]:9000/
      http://[fd12::1]:5/ https://192.0.2.1/ http://[::ffff:127.0.0.1]:8080/ http://localhost:8080/
      http://localhost:9000/
    `),
  )('include %s', (url) => {
    expect(isRefused(url)).toBe(false);
  });

  test.each(
    words(`
      http://127.0.0.1/ http://127.0.0.1:8081/ http://127.0.0.2:8080/ http://[::1]:8080/ http://192.0.2.1/
      http://192.168.0.1:8080/ http://localhost:80/
    `),
  )('exclude %s', (url) => {
    expect(isRefused(url)).toBe(true);
  });

  test('also restrict the port of a host name that resolves to an allowed address', async () => {
    await using origin = await startOrigin(giving(''));
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }] as const;
    const url = `http://hooks.test:${origin.port}/`;
    const [own, other] = [`127.0.0.0/8:${origin.port}`, `127.0.0.0/8:${origin.port === 1 ? 2 : 1}`];
    expect(await send(url, { resolve, allowedNetworks: [own] })).toEqual({ ok: true, status: 200 });
    expect(await send(url, { resolve, allowedNetworks: [other] })).toEqual(because('not_public'));
  });

  test.each(
    words(`
      nonsense 127.0.0.1 127.0.0.1:8080 127.0.0.1:8080/32 127.0.0.1/33:80 127.0.0.1/32: 127.0.0.1/32:0 127.0.0.1/32:65536
      127.0.0.1/32:080 [127.0.0.1]/32 [::1]:9000/128 [::1/128 ::1]/128 localhost/8:80 fe80::1%eth0/64 127.0.0.1/32:80:81
      127.0.0.1/32:http 127.0.0.1/-1
    `),
  )('cannot contain %s', (text) => {
    expect(() => createWebhookSender({ allowedNetworks: [text] })).toThrow('is not a network');
  });
});
