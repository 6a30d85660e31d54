export { openFileStorage } from './filesystem/file-storage.ts';
export { type FileUploadsOptions, openFileUploads } from './filesystem/file-uploads.ts';
export { diskRoom, type Room } from './filesystem/room.ts';
