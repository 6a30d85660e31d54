export { openFileDestination } from './file-destination.ts';
export { openObjectSource } from './object-source.ts';
export { openStreamDestination } from './stream-destination.ts';
export { readTar, readTarFrom } from './tar-reader.ts';
