import { hasPrograms } from '@postshelf/testing/programs';

/** Whether this machine can make covers of videos and fitted files. */
export const hasFfmpeg = hasPrograms(['ffmpeg'], 'covers of videos, and fitted files');
