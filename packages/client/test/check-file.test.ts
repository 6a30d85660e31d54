import { describe, expect, test } from 'bun:test';
import { FIXTURE_NAMES, fixture, OTHER_FIXTURE_NAMES, otherFixture } from '@postshelf/testing/fixtures';
import { thrownBy } from '@postshelf/testing/outcomes';
import { readCandidate } from '../src/check/check.ts';
import { checkFile, checkPostsPerDay } from '../src/check-file.ts';

describe('checking the posts of a day', () => {
  const hourly = (posts: number) => Array.from({ length: posts }, (_, post) => post * 1000);

  test.each<[string, number, unknown]>([
    ['Instagram', 50, null],
    ['Instagram', 51, { severity: 'warning', limit: 50, actual: 51, unit: 'posts', media_content_id: null }],
    ['Instagram', 101, { severity: 'error', limit: 50, actual: 101 }],
    ['my own network', 101, null],
  ])('applies the limit of %s to %d posts', async (network, posts, problem) => {
    const found = await checkPostsPerDay(network, hourly(posts));
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatchObject(problem as object);
  });
});

describe('checking a file before it is sent', () => {
  test.each(FIXTURE_NAMES)('finds the same type, dimensions and duration for %s as the service does', async (name) => {
    const { path, type, width, height, time } = await fixture(name);
    const found = await readCandidate(Bun.file(path));
    expect(found).toMatchObject({ type, width, height, time });
  });

  test('counts the frames of a GIF', async () => {
    const { path } = await fixture('gif-animated');
    expect((await readCandidate(Bun.file(path))).details?.image?.frames).toBe(3);
  });

  test('reads the details of a video', async () => {
    const details = async (name: 'mp4' | 'mp4-headers-last' | 'mov') =>
      (await readCandidate(Bun.file((await fixture(name)).path))).details?.video;
    expect(await details('mp4')).toMatchObject({
      codec: 'avc',
      durationMs: expect.any(Number),
      frameRate: 10,
      bitrate: expect.any(Number),
      chroma: '4:2:0',
      rotation: 0,
      moovFirst: true,
      audio: { codec: 'aac', channels: 1 },
    });
    expect((await details('mp4-headers-last'))?.moovFirst).toBe(false);
  });

  test('accepts a video whose audio description is unreadable, and reports its audio details as unknown', async () => {
    const bytes = Buffer.from(await (await fixture('mp4')).bytes());
    const [config, descriptions] = [bytes.indexOf('esds'), bytes.indexOf('stsd', bytes.indexOf('soun'))];
    const garbled = Buffer.from(bytes).fill(0xff, config + 8, config + 30);
    const undescribed = Buffer.from(bytes);
    undescribed.writeUInt32BE(0, descriptions + 8);
    for (const video of [garbled, undescribed]) {
      const { width, height, details } = await readCandidate(new Blob([video]));
      expect({ width, height }).toEqual({ width: 160, height: 96 });
      expect(details?.video?.audio).toEqual({ codec: null, sampleRate: null, channels: null });
      const [tweet] = await checkFile(new Blob([video]), ['x.post']);
      expect(tweet?.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });

  test("applies the service's rules, with the same messages", async () => {
    const { path } = await fixture('mp4-headers-last');
    const [reel, tweet] = await checkFile(Bun.file(path), ['instagram.reel', 'x.post']);
    expect(reel).toMatchObject({ target: 'instagram.reel', verdict: 'not_ready' });
    expect(reel?.problems).toContainEqual({
      rule: 'instagram.reel.video.moov',
      severity: 'error',
      media_content_id: null,
      limit: true,
      actual: false,
      unit: null,
      message: 'Videos in an Instagram reel must start with their movie box (moov).',
      remedy: expect.stringContaining('faststart'),
    });
    expect(tweet).toEqual({ target: 'x.post', verdict: 'ready', problems: [] });
  });

  test.each(OTHER_FIXTURE_NAMES)('rejects %s, which has none of the six supported types', async (name) => {
    const { path } = await otherFixture(name);
    expect(await thrownBy(checkFile(Bun.file(path), ['x.post']))).toMatchObject({ name: 'UnreadableFile' });
  });

  test('rejects an empty file, text, a video truncated in its headers, and an unknown target', async () => {
    const bytes = await (await fixture('mp4')).bytes();
    for (const file of [new Blob(), new Blob(['no media, only words']), new Blob([bytes.slice(0, 60)])])
      expect(await thrownBy(checkFile(file, ['x.post']))).toMatchObject({ name: 'UnreadableFile' });
    expect(await thrownBy(checkFile(new Blob([bytes.slice()]), ['x.pots']))).toBeInstanceOf(RangeError);
  });
});
