import { bestTimesRepository } from './best-times/best-times-repository.ts';
import { coverQueue } from './covers/cover-queue.ts';
import { duplicateRepository } from './duplicates/duplicate-repository.ts';
import { fitQueue } from './fit/fit-queue.ts';
import { folderRepository } from './folders/folder-repository.ts';
import { importQueue } from './imports/import-queue.ts';
import { libraryRepository } from './library/library-repository.ts';
import { mediaRepository } from './media/media-repository.ts';
import { postRepository } from './posts/post-repository.ts';
import { profileRepository } from './posts/profile-repository.ts';
import { presignRepository } from './presign/presign-repository.ts';
import { previewRepository } from './previews/preview-repository.ts';
import { repeatRepository } from './repeats/repeat-repository.ts';
import type { Repositories } from './store/database.ts';
import type { Store } from './store/store.ts';
import { tokenRepository } from './tokens/token-repository.ts';
import { objectChecks } from './verify/object-checks.ts';
import { workspaceRepository } from './workspaces/workspace-repository.ts';

export const repositories = (store: Store): Repositories => ({
  library: libraryRepository(store),
  workspaces: workspaceRepository(store),
  folders: folderRepository(store),
  media: mediaRepository(store),
  imports: importQueue(store),
  presign: presignRepository(store),
  coverQueue: coverQueue(store),
  fitQueue: fitQueue(store),
  duplicates: duplicateRepository(store),
  previews: previewRepository(store),
  profiles: profileRepository(store),
  posts: postRepository(store),
  bestTimes: bestTimesRepository(store),
  objectChecks: objectChecks(store),
  tokens: tokenRepository(store),
  repeats: repeatRepository(store),
});
