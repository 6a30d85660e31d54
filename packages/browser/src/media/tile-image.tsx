import type { MediaItem } from '@postshelf/client';
import { use, useEffect, useState, useSyncExternalStore } from 'react';
import { FastScrollContext } from '../ui/fast-scroll.ts';
import { previewOf } from './media-facts.ts';

/**
 * Milliseconds before a preview that failed to load is requested again: a busy service may not have made it yet. The
 * pause is multiplied by the number of requests so far. {@link ATTEMPTS} is the maximum number of requests.
 */
const PAUSE = 2500;
const ATTEMPTS = 4;

/**
 * An item's preview, with a blurred placeholder until it is loaded. Loading starts once the list isn't scrolling fast.
 * Transparent images have a checkerboard behind them instead, because the placeholder would show through.
 */
export function TileImage({ item, tile }: { readonly item: MediaItem; readonly tile: number }) {
  const [attempt, setAttempt] = useState(1);
  const [isBroken, setIsBroken] = useState(false);
  const isLoaded = useOnceSlow();
  useEffect(() => {
    if (!isBroken || attempt >= ATTEMPTS) return;
    const timer = setTimeout(() => {
      setIsBroken(false);
      setAttempt(attempt + 1);
    }, PAUSE * attempt);
    return () => clearTimeout(timer);
  }, [isBroken, attempt]);
  const link = previewOf(item, tile, devicePixelRatio);
  const isTransparent = item.details?.image?.has_alpha ?? false;
  const placeholder = isTransparent ? null : item.details?.placeholder;
  return (
    <span
      className="tile-picture"
      style={placeholder ? { backgroundImage: `url("${placeholder}")` } : undefined}
      data-transparent={isTransparent || undefined}
      data-kind={link === null ? (item.time === null ? 'image' : 'video') : undefined}
    >
      {link !== null && isLoaded && !isBroken && (
        <img src={link} alt="" loading="lazy" decoding="async" draggable={false} onError={() => setIsBroken(true)} />
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
