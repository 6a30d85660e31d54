export { type Program, program } from '@postshelf/harness';
