import type { MediaItem } from '@postshelf/client';
import { use, useEffect, useState, useSyncExternalStore } from 'react';
import { FastScrollContext } from '../ui/fast-scroll.ts';
import { placeholderOf, previewOf } from './media-facts.ts';

/**
 * Milliseconds before a preview that failed to load is requested again: the service may be busy or restarting. The
 * pause is multiplied by the number of requests so far.
 */
const PAUSE = 2500;

/**
 * An item's preview, with a blurred placeholder until it is loaded. Loading starts once the list isn't scrolling fast.
 * Transparent images have a checkerboard behind them instead, because the placeholder would show through.
 */
export function TileImage({ item, tile }: { readonly item: MediaItem; readonly tile: number }) {
  const [attempt, setAttempt] = useState(1);
  /** The link that failed to load, until it is requested again. */
  const [broken, setBroken] = useState<string | null>(null);
  const isLoaded = useOnceSlow();
  useEffect(() => {
    if (broken === null) return;
    const timer = setTimeout(() => {
      setBroken(null);
      setAttempt(attempt + 1);
    }, PAUSE * attempt);
    return () => clearTimeout(timer);
  }, [broken, attempt]);
  const link = previewOf(item, tile, devicePixelRatio);
  const isTransparent = item.details?.image?.has_alpha ?? false;
  const placeholder = placeholderOf(item);
  return (
    <span
      className="tile-image"
      style={placeholder ? { backgroundImage: `url("${placeholder}")` } : undefined}
      data-transparent={isTransparent || undefined}
      data-kind={link === null ? (item.time === null ? 'image' : 'video') : undefined}
    >
      {link !== null && link !== broken && isLoaded && (
        <img src={link} alt="" loading="lazy" decoding="async" draggable={false} onError={() => setBroken(link)} />
      )}
    </span>
  );
}

/** Whether the list has paused or scrolled slowly at any time since the tile was mounted. */
function useOnceSlow(): boolean {
  const { subscribe, isFast } = use(FastScrollContext);
  const isSlow = !useSyncExternalStore(subscribe, isFast);
  const [wasSlow, setWasSlow] = useState(isSlow);
  if (isSlow && !wasSlow) setWasSlow(true);
  return wasSlow || isSlow;
}
