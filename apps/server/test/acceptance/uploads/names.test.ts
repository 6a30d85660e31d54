import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { expectErrorShape } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { World } from '../support/world.ts';

// packages/domain/test/media/name.test.ts tests how names are changed. These tests check that no name does harm.
let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

/** Control characters (Cc), path separators, and bidi controls (see Unicode TR36 §2.10). */
const forbidden = /[\p{Cc}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

async function expectWellStored(filename: string | Uint8Array, bytes: Uint8Array, extension: string) {
  const item = await world.storeOne(file(filename, bytes));
  expect(item.name).not.toMatch(forbidden);
  expect(item.label ?? '').not.toMatch(forbidden);
  expect(item.name.endsWith(extension)).toBe(true);
  expect(item.name.length).toBeGreaterThan(extension.length);
  expect(item.full_name).toBe(`${world.ids.workspace}/${item.id}/${item.name}`);
  expect(item.link).toMatch(/^[\x21-\x7e]+$/);
  expect(decodeURIComponent(item.link)).toBe(`${world.ids.url}/files/${item.full_name}`);
  expect(await world.holds(item.full_name)).toBe(true);
  const response = await fetch(item.link);
  expect(response.status).toBe(200);
  expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(bytes))).toBe(0);
  return item;
}

test.each([['clip.php', fixtures.mov, 'clip.mov']])(
  '%s gets the extension that fits the type of its bytes',
  async (sent, bytes, kept) => {
    expect((await expectWellStored(sent, bytes(), kept.slice(kept.lastIndexOf('.')))).name).toBe(kept);
  },
);

const hostile = [
  '../../../../etc/passwd',
  'C:\\Windows\\system32\\evil.png',
  '..',
  '.htaccess',
  'photo\u202egnp.exe',
  'a\u2066b\u2067c\u2068d\u2069\u200e\u200f\u061c.png',
  '$(reboot);`id`|&>.png',
  '%2e%2e%2fetc%2fpasswd.png',
  'a?b=c#d&e+f;g@h:i.png',
  '<img src=x onerror=alert(1)>.png',
  'say \\"hi\\".png',
  Buffer.from('2e2ec0af2e2e2e706e67', 'hex'),
  '__proto__',
  `${'n'.repeat(1000)}.png`,
].map((name) => [String(name).slice(0, 40), name] as const);
test.each(hostile)('a hostile file name is cleaned, and its file is stored in its own folder: %s', async (_, name) => {
  await expectWellStored(name, fixtures.png(), '.png');
  const elsewhere = (await world.files()).filter((path) => /passwd|cron/.test(path));
  for (const path of elsewhere) expect(path).toContain(String(world.ids.workspace));
});

test.each(['東京タワー & 👩‍👩‍👧.png', "it's (1)!*~.png"])('%s is kept unchanged', async (name) =>
  expect((await expectWellStored(name, fixtures.png(), '.png')).name).toBe(name),
);

describe('an unusual file name in a part header', () => {
  const named = (parameters: string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="files[]"; ${parameters}\r\n\r\n`),
      fixtures.png(),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
  test.each([
    ...['pho\tto\u0007.png', 'photo.php\0.png'].map((name) => `filename="${name}"`),
    'filename=""',
    // These names are encoded as in RFC 5987. RFC 7578 §4.2 doesn't allow filename*, so plain.png may be kept instead.
    ...['%2F..%2F..%2Fpasswd', 'pho%0D%0A%00%7Fto', '%FF%FE', 'a%zz'].map(
      (stem) => `filename="plain.png"; filename*=UTF-8''${stem}.png`,
    ),
  ])('is cleaned or refused: %j', async (parameters) => {
    const reply = await world.upload({ contentType: multipart([]).contentType, bytes: named(parameters) });
    expect(reply.status).toBeOneOf([201, 400, 422]);
    if (reply.status !== 201) return expectErrorShape(reply);
    expect(mediaItems(reply)[0]?.name).toMatch(/.\.png$/);
    expect(mediaItems(reply)[0]?.full_name.split('/')[2]).not.toMatch(forbidden);
  });
});
