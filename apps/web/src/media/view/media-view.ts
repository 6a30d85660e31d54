import { TILE_HEIGHT } from '@postshelf/browser/media/tile-layout.ts';
import { createStore } from '@postshelf/browser/ui/store.ts';
import { readStored, store } from '../../ui/stored.ts';

/** The appearance of media lists. */
export interface MediaView {
  readonly kind: 'grid' | 'list';
  /**
   * The height of the grid's images in pixels. It is null until the user chooses a height. Until then, the height
   * depends on the width.
   */
  readonly height: number | null;
}

const KEY = 'postshelf-media-view';
const DEFAULTS: MediaView = { kind: 'grid', height: null };

function parse(stored: unknown): MediaView {
  if (typeof stored !== 'object' || stored === null) return DEFAULTS;
  const { kind, height } = stored as Record<string, unknown>;
  return { kind: kind === 'list' ? 'list' : 'grid', height: typeof height === 'number' ? clamp(height) : null };
}

const clamp = (height: number): number => Math.min(TILE_HEIGHT.max, Math.max(TILE_HEIGHT.min, height));

const view = createStore(parse(readStored(KEY)));

function change(next: Partial<MediaView>): void {
  view.set({ ...view.get(), ...next });
  store(KEY, view.get());
}

/** Returns how this browser shows media lists, and a function that changes it. */
export function useMediaView() {
  return { ...view.use(), change };
}
