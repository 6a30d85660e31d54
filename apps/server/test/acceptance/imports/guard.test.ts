import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { expectInvalid } from '../support/reply.ts';
import { words } from '../support/table.ts';
import { World } from '../support/world.ts';
import { expectHuman, importUrl, itemCount } from './support/imports.ts';
import { Origin } from './support/origin.ts';

setDefaultTimeout(60_000);

let world: World;
/** Whoever reaches this listener has got past the guard: it is on 127.0.0.1, and nothing is exempt. */
let listener: Origin;
let before: string[];

beforeAll(async () => {
  [world, listener] = await Promise.all([World.open(), Origin.open()]);
  before = await world.files();
});

afterAll(async () => {
  listener.close();
  await world.close();
});

/** The URL is refused for what it says, on `url` alone, and quickly: nobody has tried to connect. */
async function expectGuarded(url: string): Promise<void> {
  const reply = await importUrl(world, url);
  expectInvalid(reply, { url: true });
  expectHuman(String(Object(reply.json).message));
}

/** Each in the place of the host, before the listener's port. */
const loopbackHosts = words(`
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0X7F.1 0x7f.0x0.0x0.0x1 0177.0.0.1 0177.1 017700000001 127.0.0.01
  127.0.0.1. 127.255.255.254 127.0.0.2 %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0｡0．1 0
  0.0.0.0 0x0 localhost LOCALHOST localhost. LocalHost. %6cocalhost ｌｏｃａｌｈｏｓｔ ℓocalhost local\u00adhost [::1]
  [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [0:0:0:0:0:ffff:7f00:0001] [::FFFF:127.0.0.1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:1::1] [2001:0:7f00:1::] [2001::80ff:fffe]
`);

describe('Whatever spells this machine is 422 on url, and the listener is not reached', () => {
  for (const host of loopbackHosts) {
    test.concurrent(host, async () => {
      await expectGuarded(`http://${host}:${listener.port}/beach.jpg`);
      await expectGuarded(`https://${host}:${listener.port}/beach.jpg`);
    });
  }
});

describe('Likewise where the URL parser forgives its form', () => {
  const urls: readonly ((port: number) => string)[] = [
    (port) => `http:127.0.0.1:${port}/beach.jpg`,
    (port) => `http:/127.0.0.1:${port}/beach.jpg`,
    (port) => `http:///127.0.0.1:${port}/beach.jpg`,
    (port) => `http://///127.0.0.1:${port}/beach.jpg`,
    (port) => `http:\\\\127.0.0.1:${port}\\beach.jpg`,
    (port) => `HTTP://127.0.0.1:${port}/beach.jpg`,
    (port) => `  http://127.0.0.1:${port}/beach.jpg`,
    (port) => `ht\ntp://127.0.0.1:${port}/beach.jpg`,
    (port) => `http://127.0\t.0.1:${port}/beach.jpg`,
    (port) => `\u0000http://127.0.0.1:${port}/beach.jpg`,
    (port) => `http://127.0.0.1:${port}\\@example.com/beach.jpg`,
    (port) => `http://127.0.0.1:${port}?@example.com/beach.jpg`,
    (port) => `http://127.0.0.1:${port}#@example.com/beach.jpg`,
    (port) => `http://127.0.0.1:${port};@example.com/beach.jpg`,
    (port) => `http://example.com@127.0.0.1:${port}/beach.jpg`,
    (port) => `http://127.0.0.1:0${port}/beach.jpg`,
  ];
  for (const url of urls) {
    test.concurrent(JSON.stringify(url(80)), () => expectGuarded(url(listener.port)));
  }
});

describe('Every special range of addresses is refused', () => {
  const hosts = words(`
    0.1.2.3 10.0.0.1 10.255.255.255 012.0.0.1 100.64.0.1 100.127.255.255 169.254.169.254 0xa9fea9fe 2852039166
    172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 0xc0a80001 198.18.0.1 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 [fc00::1] [fd12:3456:789a::1] [fe80::1] [febf::1]
    [fec0::1] [ff02::1] [100::1] [2001:db8::1] [2001:10::1] [3fff::1] [::ffff:10.0.0.1] [::ffff:169.254.169.254]
    [64:ff9b::10.0.0.1] [64:ff9b::169.254.169.254] [2002:a00:1::] [2002:a9fe:a9fe::] [2001:0:a9fe:a9fe::]
  `);
  for (const host of hosts) test.concurrent(host, () => expectGuarded(`http://${host}/beach.jpg`));
});

describe('Nothing but http and https', () => {
  const urls = words(`
    ftp://example.com/beach.jpg file:///etc/passwd file://localhost/etc/passwd gopher://example.com/
    data:image/png;base64,iVBORw0KGgo= javascript:alert(1) blob:https://example.com/0 ws://example.com/
    wss://example.com/ about:blank mailto:someone@example.com view-source:http://example.com/
    jar:http://example.com/!/beach.jpg s3://bucket/beach.jpg unix:/var/run/docker.sock
    http+unix://%2Fvar%2Frun%2Fdocker.sock/
  `);
  for (const url of urls) test.concurrent(url, () => expectGuarded(url));
});

describe('No credentials in the URL', () => {
  const urls = words(`
    http://user:secret@example.com/beach.jpg https://user@example.com/beach.jpg https://:secret@example.com/beach.jpg
    https://user%3Asecret@example.com/beach.jpg https://example.com:80@example.org/beach.jpg
    https://example.com%2F@example.org/beach.jpg
  `);
  for (const url of urls) {
    test.concurrent(url, async () => {
      const reply = await importUrl(world, url);
      expectInvalid(reply, { url: true });
      expect(reply.text).not.toContain('secret');
    });
  }
});

describe('What is no URL at all', () => {
  const urls = [
    ...words(`
      http:// https:/// http://:80/ http://[::1/ http://[::1%25lo]/beach.jpg http://[fe80::1%eth0]/beach.jpg
      http://127.0.0.256/ http://1.2.3.4.5/ http://0x1ffffffff/ http://exa<mple>.com/ http://example.com:99999/
      http://example.com:port/ http://%00/ http://a%2fb/ //example.com/beach.jpg /beach.jpg beach.jpg
      example.com/beach.jpg http http: 🏖
    `),
    'http://exa mple.com/',
  ];
  for (const url of urls) test.concurrent(JSON.stringify(url), () => expectGuarded(url));
});

test('the listener was never reached, nothing is listed and no file was made', async () => {
  expect(listener.connections).toBe(0);
  expect(await itemCount(world)).toBe(0);
  expect(await world.files()).toEqual(before);
  // It does listen: the rows above could fail.
  expect((await fetch(listener.base())).status).toBe(404);
  expect(listener.connections).toBe(1);
});

describe('IMPORT_ALLOWED_NETWORKS exempts its networks and nothing beside them', () => {
  test('a network of one address opens that address alone', async () => {
    const [exempting, neighbour] = await Promise.all([
      World.open({ IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32' }),
      Origin.open({ host: '127.0.0.2' }),
    ]);
    try {
      for (const host of ['127.0.0.2', '2130706434', '[::ffff:127.0.0.2]', '[::1]', '0.0.0.0', '10.0.0.1']) {
        const reply = await importUrl(exempting, `http://${host}:${neighbour.port}/beach.jpg`);
        expectInvalid(reply, { url: true });
      }
      expect(neighbour.connections).toBe(0);
      for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', `http://a:b@127.0.0.1:${listener.port}/`]) {
        expectInvalid(await importUrl(exempting, url), { url: true });
      }
      expect(listener.connections).toBe(1);
    } finally {
      neighbour.close();
      await exempting.close();
    }
  });
});
