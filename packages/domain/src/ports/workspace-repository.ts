import type { Workspace } from '../access/workspace.ts';
import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';

export interface WorkspaceRepository {
  /**
   * Keeps a workspace and its system folders, all or nothing.
   * Two system folders whose names are the same to {@link folderNameKey} are the caller's mistake: throws.
   */
  insert(workspace: Workspace, systemFolders: readonly Folder[]): Promise<void>;
  /** null when there is none. */
  find(id: Uuid): Promise<Workspace | null>;
  /** All, oldest first. */
  list(): Promise<readonly Workspace[]>;
}
