export type { S3Options } from './connection.ts';
export { openS3, type S3 } from './open.ts';
