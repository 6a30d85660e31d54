import { TILE_HEIGHT } from '@postshelf/browser/media/tile-layout.ts';
import { createStore } from '@postshelf/browser/ui/store.ts';

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
const USUAL: MediaView = { kind: 'grid', height: null };

/**
 * Returns the stored view. Some browsers have no storage in private windows; the view is then kept until the page is
 * left.
 */
function stored(): string {
  try {
    return localStorage.getItem(KEY) ?? '{}';
  } catch {
    return '{}';
  }
}

function parse(text: string): MediaView {
  try {
    const known: unknown = JSON.parse(text);
    if (typeof known !== 'object' || known === null) return USUAL;
    const { kind, height } = known as Record<string, unknown>;
    return { kind: kind === 'list' ? 'list' : 'grid', height: typeof height === 'number' ? within(height) : null };
  } catch {
    return USUAL;
  }
}

const within = (height: number): number => Math.min(TILE_HEIGHT.most, Math.max(TILE_HEIGHT.least, height));

const view = createStore(parse(stored()));

function change(next: Partial<MediaView>): void {
  view.set({ ...view.get(), ...next });
  try {
    localStorage.setItem(KEY, JSON.stringify(view.get()));
  } catch {
    // The browser has no storage, so the view isn't stored.
  }
}

/** Returns how this browser shows media lists, and a function that changes it. */
export function useMediaView() {
  return { ...view.use(), change };
}
