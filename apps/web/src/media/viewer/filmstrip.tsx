import { placeholderOf, previewOf } from '@postshelf/browser/media/media-facts.ts';
import type { CSSProperties } from 'react';
import type { Surroundings } from './use-surroundings.ts';

/** Number of items on each side of the open one. */
const SIDE = 14;

/** Size of an image in the strip in pixels. */
const SIZE = 52;

/** Thumbnails of the items around the open one. A click on a thumbnail opens its item. */
export function Filmstrip({ surroundings, onOpen }: { readonly surroundings: Surroundings; onOpen(id: string): void }) {
  const { index, size, at } = surroundings;
  const from = Math.max(0, index - SIDE);
  const places = Array.from({ length: Math.min(size, index + SIDE + 1) - from }, (_, nth) => from + nth);
  return (
    <ul className="viewer-strip" aria-label="Filmstrip" style={{ '--at': index } as CSSProperties}>
      {places.map((place) => {
        const item = at(place);
        const preview = item?.status === 'active' ? previewOf(item, SIZE, devicePixelRatio) : null;
        const placeholder = item && placeholderOf(item);
        const isCurrent = place === index;
        return (
          <li key={item?.id ?? place} style={{ '--place': place } as CSSProperties}>
            {item && (
              <button
                type="button"
                aria-label={item.name}
                aria-current={isCurrent || undefined}
                // Only the current thumbnail is a tab stop, because the arrow keys move to the others.
                tabIndex={isCurrent ? 0 : -1}
                style={{ backgroundImage: placeholder ? `url("${placeholder}")` : undefined }}
                onClick={() => onOpen(item.id)}
              >
                {preview !== null && <img src={preview} alt="" loading="lazy" decoding="async" draggable={false} />}
                {item.time !== null && <i aria-hidden="true">▶</i>}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
