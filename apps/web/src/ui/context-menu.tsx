import './menu.css';
import { type MouseEvent, useRef } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';

/** Where a menu opens, as an event asked for it. */
export interface MenuPlace {
  /** The element that the menu is about, to which the focus returns. */
  readonly at: HTMLElement;
  /** Of a mouse, in pixels of the window; null: beside the element. */
  readonly point: { readonly x: number; readonly y: number } | null;
}

/** Of a right click, a long press, Shift and F10, or the menu key: browsers make one event of all. */
export const placeOfMenu = (at: HTMLElement, { button, clientX: x, clientY: y }: MouseEvent): MenuPlace => ({
  at,
  point: button === 2 ? { x, y } : null,
});

export interface MenuAction<Id extends string> {
  readonly id: Id;
  readonly label: string;
}

interface ContextMenuProps<Id extends string> {
  readonly place: MenuPlace;
  /** Of what the menu is about. */
  readonly name: string;
  readonly actions: readonly MenuAction<Id>[];
  onAction(id: Id): void;
  onClose(): void;
}

/** What can be done with a row, beside it or where the mouse is. */
export function ContextMenu<Id extends string>({ place, name, actions, onAction, onClose }: ContextMenuProps<Id>) {
  const { at, point } = place;
  const trigger = useRef(at);
  return (
    <Popover
      triggerRef={trigger}
      {...(point && { getTargetRect: () => new DOMRect(point.x, point.y, 0, 0) })}
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
        onAction={(id) => onAction(id as Id)}
        onClose={onClose}
      >
        {actions.map(({ id, label }) => (
          <MenuItem key={id} id={id} className={id === 'delete' ? 'menu-item menu-item-danger' : 'menu-item'}>
            {label}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
