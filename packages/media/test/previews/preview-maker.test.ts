import { describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSound, MAX_PLACEHOLDER_LENGTH, type MediaType, type PreviewSource, previewSizes } from '@postshelf/domain';
import { insertIntoJpeg, jpegSegment, sourceOf, sourceOfFile } from '@postshelf/testing/fixtures';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { until } from '@postshelf/testing/waiting';
import { afterEachImage, READY, writeBlocks } from '../../src/child/protocol.ts';
import { createMediaInspector, createPreviewMaker } from '../../src/index.ts';
import { DECODER } from '../support/decoder.ts';
import { lettersOf, QUADRANTS, quadrants } from '../support/quadrants.ts';
import { Playground } from '../support/scripts.ts';

const maker = createPreviewMaker({ command: DECODER });
const never = new AbortController().signal;
const quiet = (): boolean => true;

const png = quadrants();
const sourceWith = (bytes: Uint8Array, type: MediaType = 'image/png', shown = QUADRANTS): PreviewSource => ({
  bytes: sourceOf(bytes),
  type,
  ...shown,
});
const SIZES = [{ width: 160, height: 80 }];

describe('previews', () => {
  test('are WebP files in the requested sizes with a placeholder, made from bytes or files', async () => {
    await using playground = await Playground.open();
    const path = join(playground.path, 'picture');
    await Bun.write(path, png);
    const sizes = previewSizes({ ...QUADRANTS });
    for (const bytes of [sourceOf(png), await sourceOfFile(path)]) {
      const made = await maker.make({ ...sourceWith(png), bytes }, sizes, never);
      expect(made?.files).toHaveLength(sizes.length);
      expect(await lettersOf(made?.files[0] ?? new Uint8Array())).toBe('rgbw wide');
      expect(made?.placeholder?.length).toBeLessThanOrEqual(MAX_PLACEHOLDER_LENGTH);
      expect(await new Bun.Image(await (await fetch(made?.placeholder ?? '')).bytes()).metadata()).toMatchObject({
        format: 'png',
      });
    }
  });

  test('contain no camera metadata', async () => {
    const secret = Buffer.from('Exif\0\0 N 52 31.2 E 13 24.5');
    const xmp = Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>N 52 31.2</x:xmpmeta>');
    const profile = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), Buffer.alloc(20_000, 'N 52 31.2')]);
    const jpeg = await new Bun.Image(png).jpeg().bytes();
    const picture = insertIntoJpeg(jpeg, jpegSegment(1, secret), jpegSegment(1, xmp), jpegSegment(2, profile));
    const made = await maker.make(sourceWith(picture, 'image/jpeg'), SIZES, never);
    const [file = new Uint8Array()] = made?.files ?? [];
    expect(await lettersOf(file)).toBe('rgbw wide');
    expect(Buffer.from(file).includes('52 31.2')).toBe(false);
  });
});

describe('previews made ahead', () => {
  const order = (bytes: Uint8Array) => ({ source: sourceWith(bytes), sizes: SIZES });

  test('are made by one child process, and equal previews that are made separately', async () => {
    const alone = await maker.make(sourceWith(png), SIZES, never);
    const bad = order(png.subarray(0, 200));
    const large = { source: { ...sourceWith(png), bytes: { ...sourceOf(png), size: 2 ** 30 } }, sizes: SIZES };
    const made = await maker.makeAhead([order(png), bad, large, order(png)], never, quiet);
    expect(made).toEqual([alone, null, null, alone]);
    expect(await maker.makeAhead([large], never, quiet)).toEqual([null]);
  });

  test('stay undecided if an earlier image crashes the child process, and only that image fails', async () => {
    await using playground = await Playground.open();
    const ends = (...lines: readonly string[]) => playground.script("printf 'postshelf previews 1\\n'", ...lines);
    const none = "printf '\\000\\000\\000\\000'";
    const ahead = async (command: string, count: number) =>
      createPreviewMaker({ command: [command] }).makeAhead(Array(count).fill(order(png)), never, quiet);
    expect(await ahead(await ends('kill -SEGV $$'), 3)).toEqual([null, 'undecided', 'undecided']);
    expect(await ahead(await ends(none, 'kill -KILL $$'), 3)).toEqual([null, 'undecided', 'undecided']);
    expect(await ahead(await ends(none, none, 'kill -XCPU $$'), 3)).toEqual([null, null, 'undecided']);
    expect(await ahead(await ends('head -c 40000000 /dev/zero'), 2)).toEqual(['undecided', 'undecided']);
    expect(await ahead(await ends('head -c 40000000 /dev/zero'), 1)).toEqual([null]);
    expect(await outcomeOf(ahead(await ends('kill -KILL $$'), 3))).toThrow(/ended early/);
  });

  test('stop after the current image when a request arrives, and keep the finished previews', async () => {
    await using playground = await Playground.open();
    const none = "printf '\\000\\000\\000\\000'";
    const command = [await playground.script("printf 'postshelf previews 1\\n'", none, 'exec /bin/sleep 1000')];
    const orders = Array(3).fill(order(png));
    expect(await createPreviewMaker({ command }).makeAhead(orders, never, () => false)).toEqual([
      null,
      'undecided',
      'undecided',
    ]);
  });

  test('check for requests whenever the output ends with a complete preview, however it is chunked', () => {
    const output = Buffer.concat([READY, writeBlocks([Buffer.alloc(300), Buffer.alloc(0), Buffer.alloc(5)])]);
    const ends = [READY.length + 304, READY.length + 308, output.length];
    for (const size of [1, 2, 3, 7, 100, output.length]) {
      const found: number[] = [];
      let read = 0;
      const onOutput = afterEachImage(() => found.push(read));
      while (read < output.length) {
        const chunk = output.subarray(read, read + size);
        read += chunk.length;
        onOutput(chunk);
      }
      expect([size, found]).toEqual([size, ends.filter((end) => end % size === 0 || end === output.length)]);
    }
  });

  test.skipIf(Bun.which('nice') === null)('run at the lowest priority', async () => {
    await using playground = await Playground.open();
    const command = [await playground.script('mkdir "$MARKS/$(nice)"')];
    const ahead = createPreviewMaker({ command });
    await ahead.makeAhead([order(png)], never, quiet).catch(() => undefined);
    expect(await playground.marks()).toEqual(['19']);
  });
});

describe('a hostile image', () => {
  test('from the fuzzer is decoded without a fault', async () => {
    // Each file is inspected first, as the service does, because the service makes previews only of valid pictures.
    const inspector = createMediaInspector();
    const folder = join(import.meta.dir, '../../../../apps/lab/corpus/seeds');
    const names = (await readdir(folder)).filter((name) => /\.(?:gif|png|jpg|webp)$/.test(name));
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      const bytes = await Bun.file(join(folder, name)).bytes();
      const facts = await inspector.inspect(sourceOf(bytes));
      if (!isSound(facts)) throw new Error(`${name} is no picture.`);
      const sizes = previewSizes(facts);
      const made = await maker.make({ ...facts, bytes: sourceOf(bytes) }, sizes, never);
      expect([name, made?.files.length]).toEqual([name, sizes.length]);
    }
  });

  test.each([
    ['is empty', new Uint8Array()],
    ['ends in its header', png.subarray(0, 20)],
    ['ends in its data', png.subarray(0, 200)],
    [
      'claims another size',
      Buffer.concat([png.subarray(0, 16), Buffer.from('7fffffff7fffffff', 'hex'), png.subarray(24)]),
    ],
  ])('that %s cannot be decoded', async (_, bytes) => {
    expect(await maker.make(sourceWith(bytes), SIZES, never)).toBeNull();
  });

  test('above the limits of pixels or bytes is refused', async () => {
    const header = Buffer.from(png);
    header.writeUInt32BE(20_000, 16);
    header.writeUInt32BE(20_000, 20);
    expect(
      await maker.make(sourceWith(header, 'image/png', { width: 20_000, height: 20_000 }), SIZES, never),
    ).toBeNull();
    const large = { size: 2 ** 30, read: () => Promise.reject(new Error('It was read.')) };
    expect(await maker.make({ ...sourceWith(png), bytes: large }, SIZES, never)).toBeNull();
  });
});

describe('a decoding child process', () => {
  const READY = "printf 'postshelf previews 1\\n'";
  const fail = async (...lines: readonly string[]): Promise<unknown> => {
    await using playground = await Playground.open();
    const command = [await playground.script(...lines)];
    return await createPreviewMaker({ command, cpuSeconds: 1 })
      .make(sourceWith(png), SIZES, never)
      .then(
        (made) => made,
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
  };

  test('that fails is blamed on the image after its start message, and on the machine before it', async () => {
    expect(await fail('exit 1')).toMatch(/ended early \(exit code 1\)/);
    expect(await fail('exit 3')).toMatch(/ended early \(exit code 3\)/);
    expect(await fail('echo something else', 'exit 3')).toMatch(/ended early/);
    expect(await fail(READY, 'kill -KILL $$')).toMatch(/ended early \(killed\)/);
    expect(await fail(READY, 'exit 4')).toMatch(/ended early \(exit code 4\)/);
    expect(await fail(READY, 'exit 3')).toBeNull();
    expect(await fail(READY, 'kill -SEGV $$')).toBeNull();
    // The limit on CPU time ends this script.
    expect(await fail(READY, 'while :; do :; done')).toBeNull();
    // The output of the process is trusted as little as the picture.
    for (const output of [
      '',
      '\\001\\000\\000\\000a',
      '\\377\\377\\377\\377',
      '\\000\\000\\000\\000\\001\\000\\000\\000a',
    ]) {
      expect(await fail(READY, `printf '${output}'`)).toBeNull();
    }
    expect(await fail(READY, 'head -c 40000000 /dev/zero')).toBeNull();
    const nowhere = createPreviewMaker({ command: ['/nowhere/program'] });
    expect(await outcomeOf(nowhere.make(sourceWith(png), SIZES, never))).toThrow(/ended early/);
  });

  test('is killed when its caller aborts', async () => {
    await using playground = await Playground.open();
    const command = [await playground.script('mkdir "$MARKS/begun"; mkdir "$MARKS/pid-$$"', 'sleep 600')];
    const stopping = new AbortController();
    const making = createPreviewMaker({ command }).make(sourceWith(png), SIZES, stopping.signal);
    making.catch(() => undefined);
    // The script isn't allowed to write files, but can create folders.
    await until('both run', async () => (await playground.marks()).length === 2);
    stopping.abort(new Error('gone'));
    expect(await outcomeOf(making)).toThrow('gone');
    await making.catch(() => undefined);
  });
});
