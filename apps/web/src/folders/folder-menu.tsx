import { ContextMenu, type MenuAction, type MenuPlace } from '../ui/context-menu.tsx';
import type { Folder } from './folder-rows.ts';

/** The actions that open a dialog. */
export type FolderTask = 'rename' | 'move' | 'delete';

export type FolderAction = 'open' | 'new' | FolderTask;

const OPEN: MenuAction<FolderAction> = { id: 'open', label: 'Open' };
const CREATE: MenuAction<FolderAction> = { id: 'new', label: 'New folder' };
const CHANGES: readonly MenuAction<FolderAction>[] = [
  { id: 'rename', label: 'Rename' },
  { id: 'move', label: 'Move' },
  { id: 'delete', label: 'Delete' },
];

interface FolderMenuProps {
  readonly place: MenuPlace;
  readonly folder: Folder;
  readonly mayChange: boolean;
  onAction(action: FolderAction): void;
  onClose(): void;
}

/** The menu of a folder. System folders can't be changed. */
export const FolderMenu = ({ folder, mayChange, ...props }: FolderMenuProps) => (
  <ContextMenu
    {...props}
    name={folder.name}
    actions={[OPEN, ...(mayChange ? [CREATE, ...(folder.is_system ? [] : CHANGES)] : [])]}
  />
);
