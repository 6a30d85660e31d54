import { describe, expect, test } from 'bun:test';
import { fixture, otherFixture, sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { box, boxHeader, descriptionOf, descriptions, movie, sampleTables, track, uint32s } from '../support/boxes.ts';

const inspector = createMediaInspector();
const inspect = (...boxes: readonly Uint8Array[]) => inspector.inspect(sourceOf(Buffer.concat(boxes)));
const recognise = (...boxes: readonly Uint8Array[]) =>
  inspector.recognise(Buffer.concat(boxes).subarray(0, inspector.headLength));

const brands = (major: string, ...compatible: readonly string[]) =>
  box('ftyp', Buffer.from(`${major}\0\0\0\0${compatible.join('')}`));
const withCodec = (type: string) => track({ table: [descriptions([descriptionOf(type)]), ...sampleTables()] });
/** Returns the boxes of a small video that follow its `ftyp` box. */
const movieBox = (content = track()) => movie(content).subarray(20);

describe('a video', () => {
  test.each(['skip', 'free', 'uuid', 'udta', 'wide', 'pnot'])('may start with a %s box', async (type) => {
    const mp4 = Buffer.from(await (await fixture('mp4-headers-last')).bytes());
    const short = box(type, Buffer.alloc(2000));
    // The offsets of the samples count from the beginning of the file.
    const stco = mp4.indexOf('stco');
    for (let at = stco + 12; at < stco + 12 + 4 * mp4.readUInt32BE(stco + 8); at += 4)
      mp4.writeUInt32BE(mp4.readUInt32BE(at) + short.length, at);
    expect(await inspect(short, mp4)).toMatchObject({ type: 'video/mp4', width: 160, height: 96, time: 3 });
    expect(await inspect(short, movieBox())).toMatchObject({ type: 'video/quicktime', time: 1 });
    const beyondTheHead = box(type, Buffer.alloc(100_000));
    expect(await recognise(beyondTheHead)).toBe('video/quicktime');
    expect(await inspect(beyondTheHead, movie(track()))).toMatchObject({ type: 'video/mp4', time: 1 });
    expect(await inspect(beyondTheHead)).toBeNull();
    expect(await inspect(boxHeader(type, 0), movie(track()))).toBeNull();
  });

  test('of a 3GP brand is an MP4 if it is compatible with MP4 and has an MP4 codec', async () => {
    for (const brand of ['3gp4', '3gp5', '3g2a']) {
      const phone = brands(brand, brand, 'isom', 'mp41');
      for (const codec of ['avc1', 'hvc1'])
        expect(await inspect(phone, movieBox(withCodec(codec)))).toMatchObject({ type: 'video/mp4' });
      for (const codec of ['s263', 'mp4v'])
        expect(await inspect(phone, movieBox(withCodec(codec)))).toMatchObject({
          fault: expect.stringContaining('3GP'),
        });
      expect(await inspect(brands(brand, brand), movieBox())).toMatchObject({ fault: expect.stringContaining('3GP') });
    }
  });

  test.each(['encv', 'drmi'])('is refused if it is encrypted: %s', async (type) => {
    const fault = expect.stringMatching(/^is encrypted \((CENC|FairPlay)\)/);
    const expected = { type: 'video/mp4', fault } as const;
    expect(await inspect(movie(withCodec(type)))).toEqual(expected);
    const clearAndEncrypted = [descriptionOf('avc1'), descriptionOf(type)];
    const table = [descriptions(clearAndEncrypted), ...sampleTables()];
    expect(await inspect(movie(track({ table })))).toEqual(expected);
  });

  test('is refused if its audio is encrypted', async () => {
    const table = [descriptions([box('enca', uint32s(0, 1, 0, 0, 0x20010, 0, 44_100 << 16))]), ...sampleTables()];
    const fault = expect.stringContaining('encrypted');
    expect(await inspect(movie(track(), track({ id: 2, handler: 'soun', table })))).toMatchObject({ fault });
  });
});

test('a file without a displayable video track is refused with a message that describes it', async () => {
  const describes = (words: string) => ({ fault: expect.stringContaining(words) });
  const soundOnly = await (await otherFixture('mp4-sound-only')).bytes();
  expect(await inspect(soundOnly)).toMatchObject({ type: 'video/mp4', ...describes('only sound') });
  expect(await inspect(movie(track({ handler: 'text' })))).toMatchObject(describes('has no video track.'));
  expect(await inspect(box('styp', Buffer.from('msdh')), Buffer.alloc(100))).toMatchObject(describes('segment'));
});
