import { findFfmpeg } from '../../src/index.ts';

/** The path of the real ffmpeg on this machine. Tests that need it are declared with `testsThatNeed`. */
export const ffmpeg: string = (await findFfmpeg())?.path ?? 'ffmpeg';
