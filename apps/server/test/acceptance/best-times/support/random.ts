export { Random } from '@postshelf/harness';
