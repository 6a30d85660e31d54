import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { type RefObject, useEffect } from 'react';
import { stepBy } from './video-bar.tsx';

export interface ViewerActions {
  previous(): void;
  next(): void;
  zoomIn(): void;
  zoomOut(): void;
  /** Moves a zoomed image. @param pixels the distance downwards; negative moves the image up */
  pan(pixels: number): void;
  details(): void;
  rename(): void;
  close(): void;
  readonly video: { readonly item: MediaItem; readonly player: RefObject<HTMLVideoElement | null> } | null;
}

/** A keyboard event of React or of the document. */
type KeyEvent = Pick<
  KeyboardEvent,
  'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'target' | 'currentTarget' | 'defaultPrevented' | 'preventDefault'
>;

const TYPED_IN = 'input, textarea, select';

/** Distance in pixels by which a key moves a zoomed image. */
const PAN = 80;

/** Returns a key's action in the viewer; undefined if it has none. */
function actionOf(key: string, target: Element, actions: ViewerActions): (() => void) | undefined {
  const { video } = actions;
  const isOnPlayer = target.closest('video') !== null;
  switch (key) {
    case 'ArrowLeft':
      // The browser's own player uses these keys to seek.
      return isOnPlayer ? undefined : actions.previous;
    case 'ArrowRight':
      return isOnPlayer ? undefined : actions.next;
    case 'ArrowUp':
      return isOnPlayer || target.closest('.viewer-details') ? undefined : () => actions.pan(PAN);
    case 'ArrowDown':
      return isOnPlayer || target.closest('.viewer-details') ? undefined : () => actions.pan(-PAN);
    case '+':
    case '=':
      return actions.zoomIn;
    case '-':
    case '_':
      return actions.zoomOut;
    case 'i':
      return actions.details;
    case 'F2':
      return actions.rename;
    case ',':
      return video ? () => stepBy(video.player.current, video.item, -1) : undefined;
    case '.':
      return video ? () => stepBy(video.player.current, video.item, 1) : undefined;
    case ' ':
      return video && !isOnPlayer && !target.closest('button, a') ? () => playOrPause(video.player.current) : undefined;
    default:
      return undefined;
  }
}

function playOrPause(player: HTMLVideoElement | null): void {
  // The browser may refuse to play the video; the player itself shows that.
  if (player?.paused) void player.play().catch(() => {});
  else player?.pause();
}

/**
 * Handles the viewer's keys, unless the focused control uses them itself.
 *
 * @returns a handler for the dialog's `onKeyDown`
 */
export function useViewerKeys(dialog: RefObject<HTMLElement | null>, actions: ViewerActions) {
  const onKeyDown = useStableCallback((event: KeyEvent): void => {
    const { key, target, currentTarget, altKey, ctrlKey, metaKey } = event;
    // React also bubbles events from dialogs that the item opened.
    if (!(target instanceof Element && currentTarget instanceof Node && currentTarget.contains(target))) return;
    if (altKey || ctrlKey || metaKey || event.defaultPrevented || target.closest(TYPED_IN)) return;
    const act = actionOf(key, target, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
  const close = useStableCallback(actions.close);
  // Handles keys while nothing has the focus: after a focused button was removed, or for a frame after a dialog closes.
  useEffect(() => {
    const onLostKey = (event: KeyboardEvent): void => {
      const isBehindDialog = dialog.current?.closest('[inert], [aria-hidden="true"]') !== null;
      if (event.target !== document.body || isBehindDialog) return;
      if (event.key === 'Escape') close();
      else onKeyDown(event);
    };
    document.addEventListener('keydown', onLostKey);
    return () => document.removeEventListener('keydown', onLostKey);
  }, [dialog, onKeyDown, close]);
  return onKeyDown;
}
