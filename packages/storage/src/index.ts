export { digest } from './digest.ts';
export { ensureRoot, syncFollowingLinks } from './filesystem/disk/directories.ts';
export { diskFreeSpace } from './filesystem/disk/free-space.ts';
export { fileTrash } from './filesystem/garbage/trash.ts';
export { fileMarker } from './filesystem/library/storage-marker.ts';
export { openFileStorage } from './filesystem/objects/object-storage.ts';
export { lookAtFiles, readFileStorage } from './filesystem/objects/read-only.ts';
export { type FilePresignOptions, openFilePresignStorage } from './filesystem/presign/presign-storage.ts';
export { openProcesses } from './filesystem/staging/process-liveness.ts';
