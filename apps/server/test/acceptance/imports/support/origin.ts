export { type Answer, Origin, type Page, type Received } from '@postshelf/harness/origin';
