export { openFileStorage } from './filesystem/file-storage.ts';
