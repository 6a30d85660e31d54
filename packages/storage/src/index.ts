export { digest } from './digest.ts';
export { fileMarker } from './filesystem/file-marker.ts';
export { openFileStorage } from './filesystem/file-storage.ts';
export { fileTrash } from './filesystem/file-trash.ts';
export { type FileUploadsOptions, openFileUploads } from './filesystem/file-uploads.ts';
export { lookAtFiles } from './filesystem/look-at-files.ts';
export { openProcesses } from './filesystem/processes.ts';
export { readFileStorage } from './filesystem/read-storage.ts';
export { diskRoom, type Room } from './filesystem/room.ts';
