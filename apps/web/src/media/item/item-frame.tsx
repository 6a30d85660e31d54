import './item-frame.css';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import type { Neighbours } from './use-neighbours.ts';

export interface ItemFrameProps {
  readonly id: string;
  readonly title: string;
  readonly neighbours: Neighbours;
  onOpen(id: string): void;
  onClose(): void;
  readonly children: ReactNode;
}

/** The item's panel: a `complementary` beside the library if there is room, else a `dialog`; named by its title. */
export function ItemFrame(props: ItemFrameProps) {
  const isNarrow = useMediaQuery('(width < 960px)');
  return isNarrow ? <Before {...props} /> : <Beside {...props} />;
}

function Before(props: ItemFrameProps) {
  return (
    <ModalOverlay isOpen onOpenChange={props.onClose} isDismissable className="item-overlay">
      <Modal className="item-modal">
        <Dialog aria-label={props.title} className="item-panel">
          <Inside {...props} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Beside(props: ItemFrameProps) {
  const panel = useRef<HTMLElement>(null);
  const { id } = props;
  // When the panel is closed, the focus moves to the tile of the item that was shown last.
  const last = useRef(id);
  last.current = id;
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const own = panel.current;
    own?.focus({ preventScroll: true });
    return () => {
      const hasFocus = own?.contains(document.activeElement) ?? false;
      // Checks that the panel was really closed, as effects are also cleaned up and run again for other reasons.
      if (hasFocus) setTimeout(() => !own?.isConnected && focusTile(last.current, opener));
    };
  }, []);
  const onKeyDown = useStableCallback((event: KeyEvent): void => {
    stepByKey(event, props);
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    props.onClose();
  });
  // Handles keys while nothing has the focus: after a focused button was removed, or for a frame after a dialog closes.
  useEffect(() => {
    const onLostKey = (event: globalThis.KeyboardEvent): void => {
      const isBehindDialog = panel.current?.closest('[inert], [aria-hidden="true"]') !== null;
      if (event.target === document.body && !isBehindDialog) onKeyDown(event);
    };
    document.addEventListener('keydown', onLostKey);
    return () => document.removeEventListener('keydown', onLostKey);
  }, [onKeyDown]);
  return (
    // Handles keys in the whole panel, whichever control has the focus.
    <aside ref={panel} aria-label={props.title} tabIndex={-1} className="item-panel" onKeyDown={onKeyDown}>
      <Inside {...props} />
    </aside>
  );
}

/** Moves the focus to an item's tile. If any of it is visible, the list stays where it is. */
function focusTile(id: string, opener: Element | null): void {
  const tile = document.querySelector(`[role="grid"] [data-key="${CSS.escape(id)}"]`) ?? opener;
  if (!(tile instanceof HTMLElement && tile.isConnected)) return;
  const grid = tile.closest('[role="grid"]');
  const top = grid && isInView(tile, grid) ? grid.scrollTop : null;
  tile.focus({ preventScroll: top !== null });
  // react-aria scrolls a focused tile into view if a key was pressed last.
  if (grid && top !== null) grid.scrollTop = top;
}

function isInView(tile: Element, grid: Element): boolean {
  const [inner, outer] = [tile.getBoundingClientRect(), grid.getBoundingClientRect()];
  return inner.bottom > outer.top && inner.top < outer.bottom;
}

/** An event of React or of the document. */
type KeyEvent = Pick<
  KeyboardEvent,
  'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'target' | 'currentTarget' | 'defaultPrevented' | 'preventDefault'
>;

const TYPED_IN = 'input, textarea, select, video';

/** Arrow keys act like the two buttons, unless the focused control uses them itself. */
function stepByKey(event: KeyEvent, { neighbours, onOpen }: Pick<ItemFrameProps, 'neighbours' | 'onOpen'>): void {
  const { key, target, currentTarget, altKey, ctrlKey, metaKey } = event;
  // React also bubbles events from dialogs that the item opened.
  if (!(target instanceof Element && currentTarget instanceof Node && currentTarget.contains(target))) return;
  if (altKey || ctrlKey || metaKey || target.closest(TYPED_IN)) return;
  const other = key === 'ArrowLeft' ? neighbours.previous : key === 'ArrowRight' ? neighbours.next : null;
  if (other !== null) onOpen(other);
}

const Inside = ({ title, neighbours: { previous, next }, onOpen, onClose, children }: ItemFrameProps) => (
  <>
    <header className="item-header">
      <h2>{title}</h2>
      <Step label="Previous item" sign="‹" id={previous} onOpen={onOpen} />
      <Step label="Next item" sign="›" id={next} onOpen={onOpen} />
      <Button variant="quiet" aria-label="Close" onPress={onClose}>
        ×
      </Button>
    </header>
    {children}
  </>
);

interface StepProps {
  readonly label: string;
  readonly sign: string;
  readonly id: string | null;
  onOpen(id: string): void;
}

const Step = ({ label, sign, id, onOpen }: StepProps) => (
  <Button variant="quiet" aria-label={label} isDisabled={id === null} onPress={() => id !== null && onOpen(id)}>
    {sign}
  </Button>
);
