import { join } from 'node:path';
import { diskFreeSpace, fileMarker, openFilePresignStorage, openFiles, readOnlyFiles } from '@postshelf/storage';
import { type Config, ConfigError } from '../../config/config.ts';
import { systemClock } from '../host/system.ts';
import { linkPlace } from './link-place.ts';
import type { MediaStorage, MediaStore, UnopenedStorage } from './media-store.ts';

export function locateFiles(config: Config): UnopenedStorage {
  const root = join(config.dataDir, 'media');
  const { storage, hasOthers, isThere } = readOnlyFiles(root);
  return {
    storage,
    marker: fileMarker(root),
    place: root,
    isOutOfReach: false,
    hasOthers,
    isThere,
    open: () => openFolder(config, root),
    close: () => undefined,
  };
}

async function openFolder(config: Config, root: string): Promise<MediaStorage> {
  const { minFreeDisk: minFree } = config;
  const files = await openFiles(root, { minFree }).catch((cause: unknown) => {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw isTaken ? new ConfigError(`DATA_DIR: ${root} is not a folder; move it away`) : cause;
  });
  const mediaBase = `${config.publicUrl}/files`;
  const urlOf = (id: string): string => `${config.publicUrl}/uploads/${id}`;
  const folder = {
    ...files,
    place: root,
    mediaBase,
    links: linkPlace(mediaBase, false),
    redirects: null,
    localCopies: null,
    origins: [],
    outOfReach: await files.storage.check().then(
      () => null,
      (error: unknown) => error,
    ),
    freeSpace: diskFreeSpace(root, minFree),
    close: () => undefined,
  };
  const withSecret = async (secret: string): Promise<MediaStore> => {
    const presign = await openFilePresignStorage(root, { secret, urlOf, clock: systemClock, minFree });
    return { ...folder, presign, presignReceiver: presign };
  };
  return { ...folder, withSecret };
}
