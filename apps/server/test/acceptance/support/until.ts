export { until, within } from '@postshelf/harness';
