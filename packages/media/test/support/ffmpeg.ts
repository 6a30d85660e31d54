import { findFfmpeg } from '../../src/index.ts';

/** The real ffmpeg of this machine; tests that need it say so by `testsThatNeed`. */
export const ffmpeg: string = (await findFfmpeg())?.path ?? 'ffmpeg';
