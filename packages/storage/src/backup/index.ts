export { openFilePlace } from './file-place.ts';
export { openObjectSource } from './object-source.ts';
export { openStreamPlace } from './stream-place.ts';
export { readTar, readTarFrom } from './tar-reader.ts';
