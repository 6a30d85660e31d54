export { bucketSettings as settingsOf } from '@postshelf/harness';
