import './menu.css';
import { type MouseEvent, useRef } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';

/** The position at which an event opens a menu. */
export interface MenuPlace {
  /** The element that the menu belongs to. It gets the focus back when the menu is closed. */
  readonly at: HTMLElement;
  /** Position of the mouse in window pixels; null places the menu next to the element. */
  readonly point: { readonly x: number; readonly y: number } | null;
}

/**
 * Returns the position of the menu for an event. Browsers fire the same event for a right click, a long press,
 * Shift+F10 and the menu key.
 */
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
  /** The name of the item or folder that the menu is for. */
  readonly name: string;
  readonly actions: readonly MenuAction<Id>[];
  onAction(id: Id): void;
  onClose(): void;
}

/** A menu of a row's actions, next to the row or at the mouse. */
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
