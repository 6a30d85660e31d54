export { sized } from '@postshelf/harness';
