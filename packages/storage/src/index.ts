export { digest } from './digest.ts';
export { openFileStorage } from './filesystem/file-storage.ts';
export { type FileUploadsOptions, openFileUploads } from './filesystem/file-uploads.ts';
export { openProcesses } from './filesystem/processes.ts';
export { readFileStorage } from './filesystem/read-storage.ts';
export { diskRoom, type Room } from './filesystem/room.ts';
