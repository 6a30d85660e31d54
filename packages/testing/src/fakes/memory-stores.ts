import type { Stores } from '../contracts/stores.ts';
import { memoryEngagement } from './memory-engagement.ts';
import { memoryFolders } from './memory-folders.ts';
import { memoryImports } from './memory-imports.ts';
import { memoryLibrary } from './memory-library.ts';
import { memoryMedia } from './memory-media.ts';
import { memoryObjectChecks } from './memory-object-checks.ts';
import { memoryPosts } from './memory-posts.ts';
import { memoryPresigned } from './memory-presigned.ts';
import { memoryProfiles } from './memory-profiles.ts';
import { emptyTables, type MemoryTables } from './memory-tables.ts';
import { memoryTokens } from './memory-tokens.ts';
import { memoryWorkspaces } from './memory-workspaces.ts';

/** The repositories over maps in memory. Two over the same tables behave as two processes over one database. */
export const memoryStores = (tables: MemoryTables = emptyTables()): Stores => ({
  library: memoryLibrary(tables),
  objectChecks: memoryObjectChecks(tables),
  workspaces: memoryWorkspaces(tables),
  folders: memoryFolders(tables),
  media: memoryMedia(tables),
  imports: memoryImports(tables),
  presign: memoryPresigned(tables),
  profiles: memoryProfiles(tables),
  posts: memoryPosts(tables),
  bestTimes: memoryEngagement(tables),
  tokens: memoryTokens(tables),
});
