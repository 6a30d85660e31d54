import { hasPrograms } from '@postshelf/testing/programs';

/** Whether covers of videos and fitted files can be made here. */
export const hasFfmpeg = hasPrograms(['ffmpeg'], 'covers of videos, and fitted files');
