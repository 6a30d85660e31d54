import { hasPrograms } from '@postshelf/testing/programs';

/** Whether covers of films, and files that fit, can be made here. */
export const hasFfmpeg = hasPrograms(['ffmpeg'], 'covers of films, and files that are made to fit');
