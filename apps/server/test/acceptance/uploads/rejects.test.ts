import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { field, file, type Part } from '../support/multipart.ts';
import { at, expectInvalid, type FailingFields, keysOf } from '../support/reply.ts';
import { World } from '../support/world.ts';

let world: World;
let before: string[];

beforeAll(async () => {
  world = await World.open();
  world.ids.folder = await world.folder('Holidays');
  await world.store(file('kept.png', fixtures.png()));
  before = await world.files();
});

afterAll(() => world.close());

/** Checks that the list of media and the stored files haven't changed. */
async function expectNothingKept(): Promise<void> {
  await world.untilFilesAre(before);
  const list = await world.call('GET /workspaces/{workspace}/media_contents');
  expect(at(list.json, 'meta', 'total')).toBe(1);
}

function refused(name: string, parts: () => Part[], invalid: FailingFields): void {
  test(`refuses ${name}`, async () => {
    expectInvalid(await world.upload(parts()), invalid);
    await expectNothingKept();
  });
}

const good = () => file('good.png', fixtures.png());
const text = (value: string) => Buffer.from(value, 'latin1');

describe('uploading files of the wrong type', () => {
  // packages/media/test/inspect tests every type, and every kind of damage.
  const types = 'The files.0 field must be a file of type: jpeg, png, gif, webp, mp4, mov.';
  refused('HTML', () => [file('photo.jpg', text('<!doctype html><script>alert(1)</script>'))], { 'files.0': true });
  refused('WebM, with a sentence that says what it is', () => [file('film.mp4', fixtures.webm())], {
    'files.0': `${types} It is a WebM video. Convert it to MP4.`,
  });
  const pngHead = () => fixtures.png().subarray(0, 8);
  refused(
    'text after the signature of a PNG, which cannot be parsed',
    () => [file('photo.jpg', Buffer.concat([pngHead(), text('<script>alert(1)</script> and more of it')]))],
    { 'files.0': true },
  );
  const half = () => fixtures.jpeg().subarray(0, fixtures.jpeg().length / 2);
  refused('half a JPEG as damaged', () => [good(), file('photo.jpg', half())], {
    'files.1': 'The files.1 is damaged: its media data is incomplete.',
  });

  test("ignores the part's own Content-Type", async () => {
    const claimed: Part = { name: 'files[]', filename: 'a.jpg', type: 'image/jpeg', value: '<html></html>' };
    expectInvalid(await world.upload([claimed]), { 'files.0': true });
    await expectNothingKept();
  });
});

describe('uploading several files', () => {
  const bad = () => file('bad.png', text('no picture'));
  refused('three files, the last of which is invalid', () => [good(), good(), bad()], { 'files.2': true });
  refused('three files, two of which are invalid, and reports both', () => [bad(), good(), bad()], {
    'files.0': true,
    'files.2': true,
  });
  refused(
    'an invalid file, and numbers the files of both field names together',
    () => [file('a.png', fixtures.png(), 'files'), bad()],
    {
      'files.1': true,
    },
  );
  refused('an invalid field that comes after valid files', () => [good(), field('label', 'l'.repeat(251))], {
    label: 'The label field must not be greater than 250 characters.',
  });
});

describe('uploading too few or too many files', () => {
  refused('a request without files', () => [field('label', 'x')], { files: 'The files field is required.' });
  refused('eleven files', () => Array.from({ length: 11 }, good), { files: true });
  refused('text in the field of the files', () => [field('files[]', 'text')], { files: true });

  test('ignores files under another field name', async () => {
    const reply = await world.upload([file('a.png', fixtures.png(), 'upload')]);
    expect(reply.status).toBe(422);
    expect(keysOf(at(reply.json, 'errors'))).toContain('files');
    await expectNothingKept();
  });
});

describe('uploading with invalid fields', () => {
  refused('a label that is a file', () => [file('label.txt', 'x', 'label'), good()], { label: true });
  refused(
    'a label that is too long, an unknown folder, and a file that is not an image',
    () => [
      field('label', 'l'.repeat(251)),
      field('folder_id', String(world.ids.unknown)),
      file('a.png', text('no picture')),
    ],
    { label: true, folder_id: true, 'files.0': true },
  );
  refused(
    'too many files and an invalid folder',
    () => [field('folder_id', 'nowhere'), ...Array.from({ length: 11 }, good)],
    { files: true, folder_id: true },
  );
  refused('a wrong type and an empty file', () => [file('a.png', text('no picture')), good(), file('b.png', '')], {
    'files.0': true,
    'files.2': true,
  });
});

describe('a polyglot file', () => {
  test('is served as an image if it is a JPEG with HTML after its end', async () => {
    const bytes = Buffer.concat([fixtures.jpeg(), text('<html><script>alert(1)</script></html>')]);
    const item = await world.storeOne(file('both.html', bytes));
    expect(item.name).toEndWith('.jpg');
    const response = await fetch(item.link);
    await response.arrayBuffer();
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
