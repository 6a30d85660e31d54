export { readTar } from './tar-reader.ts';
export { writeTar } from './tar-writer.ts';
