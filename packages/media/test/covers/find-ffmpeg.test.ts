import { expect } from 'bun:test';
import { testsThatNeed } from '@postshelf/testing/programs';
import { findFfmpeg } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { test } = testsThatNeed(['ffmpeg'], 'finding ffmpeg');

test('findFfmpeg finds the ffmpeg on PATH and its version', async () => {
  expect(await findFfmpeg()).toEqual({ path: ffmpeg, version: expect.stringMatching(/^[\w.+~:-]+$/) });
});

test('findFfmpeg uses the configured ffmpeg, by path or by name', async () => {
  await using playground = await Playground.open();
  const script = await playground.script('echo "ffmpeg version 9.8.7-test Copyright"', 'echo "built with care"');
  expect(await findFfmpeg(script)).toEqual({ path: script, version: '9.8.7-test' });
  expect(await findFfmpeg('ffmpeg')).toEqual(await findFfmpeg());
});

test('findFfmpeg does not fall back to the PATH if the configured ffmpeg does not run', async () => {
  await using playground = await Playground.open();
  expect(await findFfmpeg('/nowhere/ffmpeg')).toBeNull();
  expect(await findFfmpeg(await playground.script('echo "another tool 1.0"'))).toBeNull();
  expect(await findFfmpeg(await playground.script('echo "ffmpeg version 1.0"', 'exit 1'))).toBeNull();
  expect(await findFfmpeg('/etc/hostname')).toBeNull();
});
