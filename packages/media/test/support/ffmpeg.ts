import { findFfmpeg } from '../../src/index.ts';

const found = await findFfmpeg();
if (found === null) throw new Error('These tests need ffmpeg on PATH: apt-get install ffmpeg');

/** The real one. Without it the tests fail, they don't skip. */
export const ffmpeg: string = found.path;
