export { digest } from './digest.ts';
export { diskRoom, type Room } from './filesystem/disk/free-space.ts';
export { fileTrash } from './filesystem/garbage/trash.ts';
export { fileMarker } from './filesystem/library/storage-marker.ts';
export { lookAtFiles } from './filesystem/objects/look-at-files.ts';
export { openFileStorage } from './filesystem/objects/object-storage.ts';
export { readFileStorage } from './filesystem/objects/read-only.ts';
export { type FileUploadsOptions, openFileUploads } from './filesystem/presign/presign-storage.ts';
export { openProcesses } from './filesystem/staging/processes.ts';
