export { startStopwatch, until, within } from '@postshelf/harness';
