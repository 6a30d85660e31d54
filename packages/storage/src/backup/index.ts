export { digest } from './digest.ts';
export { readTar } from './tar-reader.ts';
export { writeTar } from './tar-writer.ts';
