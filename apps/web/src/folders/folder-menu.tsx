import '../ui/menu.css';
import { useRef } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';

export type FolderTask = 'rename' | 'move' | 'delete';

interface FolderMenuProps {
  /** The element beside which the menu opens, and to which the focus returns. */
  readonly at: Element;
  readonly name: string;
  onTask(task: FolderTask): void;
  onClose(): void;
}

/** The menu of a folder. */
export function FolderMenu({ at, name, onTask, onClose }: FolderMenuProps) {
  const trigger = useRef(at);
  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      placement="bottom start"
      aria-label={name}
      className="menu-box"
    >
      <Menu
        aria-label={name}
        autoFocus="first"
        className="menu"
        onAction={(task) => onTask(task as FolderTask)}
        onClose={onClose}
      >
        <MenuItem id="rename" className="menu-item">
          Rename
        </MenuItem>
        <MenuItem id="move" className="menu-item">
          Move
        </MenuItem>
        <MenuItem id="delete" className="menu-item menu-item-danger">
          Delete
        </MenuItem>
      </Menu>
    </Popover>
  );
}
