import type { Repositories } from '../database.ts';
import { bestTimesRepository } from '../engagement/engagement-log.ts';
import { postRepository } from '../posts/post-repository.ts';
import { profileRepository } from '../posts/profile-repository.ts';
import { presignRepository } from '../presigned/presigned-uploads.ts';
import { importQueue } from '../queue/import-queue.ts';
import { folderRepository } from './folder-repository.ts';
import { libraryRepository } from './library-repository.ts';
import { mediaRepository } from './media-repository.ts';
import { objectChecks } from './object-checks.ts';
import type { Store } from './store.ts';
import { tokenRepository } from './token-repository.ts';
import { workspaceRepository } from './workspace-repository.ts';

export const repositories = (store: Store): Repositories => ({
  library: libraryRepository(store),
  workspaces: workspaceRepository(store),
  folders: folderRepository(store),
  media: mediaRepository(store),
  imports: importQueue(store),
  presign: presignRepository(store),
  profiles: profileRepository(store),
  posts: postRepository(store),
  bestTimes: bestTimesRepository(store),
  objectChecks: objectChecks(store),
  tokens: tokenRepository(store),
});
