import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { MenuPlace } from '../ui/context-menu.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { type FolderAction, FolderMenu, type FolderTask } from './folder-menu.tsx';
import type { Folder } from './folder-rows.ts';
import { LazyNewFolderDialog } from './lazy-new-folder-dialog.ts';

const FolderDialog = lazyDialog(async () => (await import('./folder-dialog.tsx')).FolderDialog);

/** Returns a function that shows a folder's media, or all media for null. */
export function useOpenFolder(): (id: string | null) => void {
  const navigate = useNavigate();
  const { workspace } = useSearch({ strict: false });
  return (id) => {
    const search = workspace === undefined ? {} : { workspace };
    void (id === null
      ? navigate({ to: '/', search })
      : navigate({ to: '/folders/$folder', params: { folder: id }, search }));
  };
}

export interface FolderMenus {
  open(folder: Folder, place: MenuPlace): void;
  /** Opens the dialog that renames a folder; undefined if the session isn't allowed to change folders. */
  readonly rename: ((folder: Folder) => void) | undefined;
  /** The open menu, and the dialogs that its actions open. */
  readonly element: ReactNode;
}

/** Returns the context menu of folders. @param onDeleted called with the deleted folder */
export function useFolderMenu(onDeleted: (folder: Folder) => void = () => undefined): FolderMenus {
  const [menu, setMenu] = useState<{ readonly folder: Folder; readonly place: MenuPlace }>();
  const [task, setTask] = useState<{ readonly folder: Folder; readonly task: FolderTask }>();
  const [parent, setParent] = useState<string>();
  const mayChange = useMay('folders:write');
  const go = useOpenFolder();
  const act = (folder: Folder, action: FolderAction): void => {
    if (action === 'open') go(folder.id);
    else if (action === 'new') setParent(folder.id);
    else setTask({ folder, task: action });
  };
  return {
    open: (folder, place) => setMenu({ folder, place }),
    rename: mayChange ? (folder) => setTask({ folder, task: 'rename' }) : undefined,
    element: (
      <>
        {menu && (
          <FolderMenu
            {...menu}
            mayChange={mayChange}
            onClose={() => setMenu(undefined)}
            onAction={(action) => act(menu.folder, action)}
          />
        )}
        {parent !== undefined && <LazyNewFolderDialog folder={parent} onClose={() => setParent(undefined)} />}
        {task && <FolderDialog {...task} onClose={() => setTask(undefined)} onDeleted={() => onDeleted(task.folder)} />}
      </>
    ),
  };
}
