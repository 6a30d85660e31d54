import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { field, file, type Part } from '../support/multipart.ts';
import { at, expectInvalid, type FailingFields, keysOf } from '../support/reply.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

let world: World;
let before: string[];

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  await world.store(file('kept.png', fixtures.png()));
  before = await world.files();
});

afterAll(() => world.close());

/** "All files of a request are stored or none": the list and the folder are as they were. */
async function expectNothingKept(): Promise<void> {
  await world.untilFilesAre(before);
  const list = await world.call('GET /workspaces/{workspace}/media_contents');
  expect(at(list.json, 'meta', 'total')).toBe(1);
}

function refused(name: string, parts: () => Part[], invalid: FailingFields): void {
  test(name, async () => {
    expectInvalid(await world.upload(parts()), invalid);
    await expectNothingKept();
  });
}

const good = () => file('good.png', fixtures.png());
const text = (value: string) => Buffer.from(value, 'latin1');

describe('The type is read from the bytes; any other than the six is 422', () => {
  const pngHead = () => fixtures.png().subarray(0, 8);
  const wrong: readonly [string, () => Uint8Array][] = [
    ['text', () => text('hello, this is no picture at all, however long it goes on')],
    ['HTML', () => text('<!doctype html><script>alert(1)</script>')],
    ['SVG', () => text('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['WebM', fixtures.webm],
    ['HEIC', () => fixtures.branded('heic')],
    ['an MP4 of sound alone', fixtures.audioOnlyMp4],
    ['an HLS list that names a local file', () => text('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST')],
  ];
  for (const [name, bytes] of wrong) refused(name, () => [file('photo.jpg', bytes())], { 'files.0': true });

  const broken: readonly [string, () => Uint8Array][] = [
    [
      'the signature of a PNG before text',
      () => Buffer.concat([pngHead(), text('<script>alert(1)</script> and more of it')]),
    ],
    ['a GIF that is JavaScript', () => text('GIF89a=1;alert(document.domain)//')],
  ];
  for (const [name, bytes] of broken) {
    refused(`what its type says does not parse: ${name}`, () => [file('photo.jpg', bytes())], { 'files.0': true });
  }

  const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2);
  const damaged: readonly [string, () => Uint8Array][] = [
    ['a JPEG cut off before its frame header', () => fixtures.jpeg().subarray(0, 30)],
    ['half a JPEG', () => half(fixtures.jpeg())],
    ['a PNG without its last byte', () => fixtures.png().subarray(0, -1)],
    ['half a GIF', () => half(fixtures.gif())],
    ['half a WebP', () => half(fixtures.webp())],
    ['an MP4 without its header', fixtures.headlessMp4],
    ['an MP4 without its last byte', () => fixtures.faststartMp4().subarray(0, -1)],
    ['half an MP4 in fragments', () => half(fixtures.fragmentedMp4())],
    ['half a QuickTime film', () => half(fixtures.mov())],
  ];
  for (const [name, bytes] of damaged) {
    refused(`what isn't all there is damaged: ${name}`, () => [good(), file('photo.jpg', bytes())], {
      'files.1': 'The files.1 is damaged: it ends before its media data does.',
    });
  }

  test("the part's own Content-Type is ignored", async () => {
    const claimed: Part = { name: 'files[]', filename: 'a.jpg', type: 'image/jpeg', value: '<html></html>' };
    expectInvalid(await world.upload([claimed]), { 'files.0': true });
    await expectNothingKept();
  });
});

describe('All files of a request are stored or none', () => {
  const bad = () => file('bad.png', text('no picture'));
  refused('the last of three is wrong', () => [good(), good(), bad()], { 'files.2': true });
  refused('two of three are wrong, both told', () => [bad(), good(), bad()], { 'files.0': true, 'files.2': true });
  refused('files under both names count on', () => [file('a.png', fixtures.png(), 'files'), bad()], {
    'files.1': true,
  });
  refused('a field that comes after good files is wrong', () => [good(), field('label', 'l'.repeat(251))], {
    label: 'The label field must not be greater than 250 characters.',
  });
});

describe('A request has 1 to 10 files', () => {
  refused('none at all', () => [field('label', 'x')], { files: 'The files field is required.' });
  refused('eleven', () => Array.from({ length: 11 }, good), { files: true });
  refused('text under the name of the files', () => [field('files[]', 'text')], { files: true });

  test('files under another field name are ignored', async () => {
    const reply = await world.upload([file('a.png', fixtures.png(), 'upload')]);
    expect(reply.status).toBe(422);
    expect(keysOf(at(reply.json, 'errors'))).toContain('files');
    await expectNothingKept();
  });
});

describe('All failing fields are reported at once', () => {
  refused('a label that is a file', () => [file('label.txt', 'x', 'label'), good()], { label: true });
  refused(
    'a label too long, a folder that only the library can miss, and a file that only its bytes betray',
    () => [
      field('label', 'l'.repeat(251)),
      field('folder_id', String(world.ids.unknown)),
      file('a.png', text('no picture')),
    ],
    { label: true, folder_id: true, 'files.0': true },
  );
  refused(
    'too many files and a wrong folder',
    () => [field('folder_id', 'nowhere'), ...Array.from({ length: 11 }, good)],
    { files: true, folder_id: true },
  );
  refused('a wrong type and an empty file', () => [file('a.png', text('no picture')), good(), file('b.png', '')], {
    'files.0': true,
    'files.2': true,
  });
});

describe('A polyglot file is what its first bytes are, and nothing else', () => {
  test('a JPEG with a web page behind its end is served as a picture', async () => {
    const bytes = Buffer.concat([fixtures.jpeg(), text('<html><script>alert(1)</script></html>')]);
    const item = await world.storeOne(file('both.html', bytes));
    expect(item.name).toEndWith('.jpg');
    const response = await fetch(item.link);
    await response.arrayBuffer();
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
