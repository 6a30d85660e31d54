import { findFfmpeg } from '../../src/index.ts';

const found = await findFfmpeg();
if (found === null) throw new Error('These tests need ffmpeg on PATH: apt-get install ffmpeg');

/** The real ffmpeg. Without it these tests fail rather than being skipped. */
export const ffmpeg: string = found.path;
