import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { expectErrorShape } from '../support/reply.ts';
import { mediaItems } from '../support/shapes.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

/** Cc, path separators, and the characters that turn text around (Unicode TR36 §2.10 names them for file names). */
const forbidden = /[\p{Cc}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

async function expectWellStored(filename: string | Uint8Array, bytes: Uint8Array, extension: string) {
  const item = await world.storeOne(file(filename, bytes));
  expect(item.name).not.toMatch(forbidden);
  expect(item.label ?? '').not.toMatch(forbidden);
  expect(item.name.endsWith(extension)).toBe(true);
  expect(item.name.length).toBeGreaterThan(extension.length);
  expect(item.full_name).toBe(`${world.ids.workspace}/${item.id}/${item.name}`);
  expect(decodeURIComponent(item.link)).toBe(`${world.ids.url}/files/${item.full_name}`);
  const response = await fetch(item.link);
  expect(response.status).toBe(200);
  expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), Buffer.from(bytes))).toBe(0);
  return item;
}

describe('"name holds the file name with the extension that the bytes call for"', () => {
  /** Row: the name that is sent, the bytes, the stem that stays, the extension that comes. */
  const rows: readonly [string, () => Uint8Array, RegExp, string][] = [
    ['beach.jpg', fixtures.jpeg, /^beach$/, '.jpg'],
    ['beach.jpeg', fixtures.jpeg, /^beach$/, '.jpg'],
    ['BEACH.JPG', fixtures.jpeg, /^BEACH$/, '.jpg'],
    ['beach', fixtures.jpeg, /^beach$/, '.jpg'],
    ['beach.png', fixtures.jpeg, /^beach(\.png)?$/, '.jpg'],
    ['beach.php', fixtures.jpeg, /^beach(\.php)?$/, '.jpg'],
    ['beach.svg', fixtures.png, /^beach(\.svg)?$/, '.png'],
    ['beach.html', fixtures.gif, /^beach(\.html)?$/, '.gif'],
    ['clip.mp4', fixtures.mov, /^clip(\.mp4)?$/, '.mov'],
    ['clip.mov', fixtures.mp4, /^clip(\.mov)?$/, '.mp4'],
    ['v1.2 final.webp', fixtures.webp, /^v1\.2 final$/, '.webp'],
    ['photo.', fixtures.png, /^photo\.?$/, '.png'],
  ];
  for (const [sent, bytes, stem, extension] of rows) {
    test(`${sent}: the stem ${stem} and ${extension}`, async () => {
      // One type has several extensions in use (jpg, jpeg, JPG); the row asks for the kind, not for the spelling.
      const item = await expectWellStored(sent, bytes(), extension === '.jpg' ? '' : extension);
      if (extension === '.jpg') expect(item.name).toMatch(/\.jpe?g$/i);
      expect(item.name.slice(0, item.name.lastIndexOf('.'))).toMatch(stem);
    });
  }
});

describe('"Control characters, path separators and bidi overrides never survive into any of them"', () => {
  const rows: readonly [string, string | Uint8Array][] = [
    ['a path upwards', '../../../../etc/passwd'],
    ['an absolute path', '/etc/cron.d/evil.png'],
    ['a Windows path', 'C:\\Windows\\system32\\evil.png'],
    ['a path upwards with backslashes', '..\\..\\evil.png'],
    ['dots alone', '..'],
    ['one dot', '.'],
    ['a dot file', '.htaccess'],
    ['a dot and the extension', '.png'],
    ['the extension alone', 'png'],
    ['spaces alone', '   '],
    ['spaces around', '  photo.png  '],
    ['trailing dots', 'photo.png...'],
    ['a reserved name of Windows', 'CON.png'],
    ['a stream of NTFS', 'photo.png::$DATA'],
    ['C1 controls', 'pho\u0085to\u009b.png'],
    ['a right-to-left override', 'photo\u202egnp.exe'],
    ['bidi isolates and marks', 'a\u2066b\u2067c\u2068d\u2069\u200e\u200f\u061c.png'],
    ['line and paragraph separators', 'a\u2028b\u2029c.png'],
    ['nothing but overrides', '\u202e\u202d'],
    ['fractions and full-width slashes', 'a\u2044b\u2215c\uff0fd.png'],
    ['shell signs', '$(reboot);`id`|&>.png'],
    ['an option', '-rf --version.png'],
    ['percent signs', '%2e%2e%2fetc%2fpasswd.png'],
    ['a percent sign alone', '100%.png'],
    ['signs of a URL', 'a?b=c#d&e+f;g@h:i.png'],
    ['markup', '<img src=x onerror=alert(1)>.png'],
    ['a quote as browsers send it', 'say %22hi%22.png'],
    ['an escaped quote', 'say \\"hi\\".png'],
    ['a semicolon', 'a;b=c.png'],
    ['a format string', '%s%n%x.png'],
    ['bytes that are no UTF-8', Buffer.from('70ff80fe2e706e67', 'hex')],
    ['an overlong slash (C0 AF)', Buffer.from('2e2ec0af2e2e2e706e67', 'hex')],
    ['a name of this service', 'postshelf.db'],
    ['the name __proto__', '__proto__'],
    ['a thousand letters', `${'n'.repeat(1000)}.png`],
    ['a hundred emoji', `${'🏖'.repeat(100)}.png`],
    ['a thousand combining marks', `a${'\u0301'.repeat(1000)}.png`],
    ['an extension of a thousand letters', `photo.${'x'.repeat(1000)}`],
  ];
  for (const [name, filename] of rows) {
    test(name, async () => {
      await expectWellStored(filename, fixtures.png(), '.png');
    });
  }

  const raw: readonly [string, string][] = [
    ['a tab and a bell', 'pho\tto\u0007.png'],
    ['DEL', 'pho\u007fto.png'],
    ['NUL before the true extension', 'photo.php\0.png'],
    ['nothing but controls', '\u0001\u0002\u0003'],
  ];
  for (const [name, filename] of raw) {
    test(`${name}, raw in the header of the part: cleaned, or the client's error`, async () => {
      const reply = await world.upload([file(filename, fixtures.png())]);
      expect(reply.status).toBeOneOf([201, 400, 422]);
      if (reply.status === 201) expect(mediaItems(reply)[0]?.full_name.split('/')[2]).not.toMatch(forbidden);
      else expectErrorShape(reply);
    });
  }

  test('nothing was written outside the places of the items', async () => {
    const list = (await world.files()).filter((path) => path.includes('passwd') || path.includes('cron'));
    for (const path of list) expect(path).toContain(String(world.ids.workspace));
  });
});

describe('"link = media base + full_name, percent-encoded"', () => {
  const names = [
    'café.png',
    '東京タワー.png',
    'Отпуск 2024.png',
    'family 👩‍👩‍👧.png',
    'a b+c&d=e.png',
    'ﷺ.png',
    "it's (1)!*~.png",
  ];
  for (const name of names) {
    test(`${name}, sent as UTF-8 like curl and browsers do`, async () => {
      const item = await expectWellStored(name, fixtures.png(), '.png');
      expect(item.name).toBe(name);
      expect(item.link).toMatch(/^[\x21-\x7e]+$/);
      expect(await world.holds(item.full_name)).toBe(true);
    });
  }

  const encoded = [
    'caf%C3%A9',
    '%2F..%2F..%2Fpasswd',
    'pho%0D%0A%00%07%1B%7Fto',
    '%E2%80%AEgnp',
    '%FF%FE',
    '%',
    'a%zz',
  ];
  for (const stem of encoded) {
    test(`filename*=UTF-8''${stem}.png names the file cleanly (RFC 5987), or plain.png stays (RFC 7578 §4.2)`, async () => {
      const disposition = `form-data; name="files[]"; filename="plain.png"; filename*=UTF-8''${stem}.png`;
      const body = Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`),
        fixtures.png(),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const reply = await world.upload({ contentType: multipart([]).contentType, bytes: body });
      expect(reply.status).toBeOneOf([201, 400, 422]);
      if (reply.status === 201) expect(mediaItems(reply)[0]?.name).not.toMatch(forbidden);
      else expectErrorShape(reply);
    });
  }

  test("an empty filename and a missing one are the client's error or get a name, never a fault", async () => {
    for (const filename of ['filename=""', 'filename=" "', 'filename=']) {
      const body = Buffer.concat([
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="files[]"; ${filename}\r\nContent-Type: image/png\r\n\r\n`,
        ),
        fixtures.png(),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const reply = await world.upload({ contentType: multipart([]).contentType, bytes: body });
      expect([201, 400, 422]).toContain(reply.status);
      if (reply.status === 201) expect(mediaItems(reply)[0]?.name).toMatch(/.\.png$/);
      else expectErrorShape(reply);
    }
  });
});
