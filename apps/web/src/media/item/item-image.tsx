import type { MediaItem } from '@postshelf/client';
import { type CSSProperties, useState } from 'react';

/** Largest animated picture, in bytes, that is shown itself instead of a preview, which isn't animated. */
const MAX_MOVING = 20_000_000;

/** The picture, with a placeholder until it is loaded. A click opens the original file. */
export function ItemImage({ item }: { readonly item: MediaItem }) {
  const { name, link, width, height, size, details } = item;
  const [isBroken, setIsBroken] = useState(false);
  const previews = details?.previews ?? [];
  const largest = isBroken ? undefined : previews.at(-1);
  const isMoving = (details?.image?.frames ?? 1) > 1 && (size ?? 0) <= MAX_MOVING;
  return (
    <a className="item-picture" href={link} target="_blank" rel="noreferrer" title="Open the original">
      <picture>
        {isMoving && <source srcSet={link} media="(prefers-reduced-motion: no-preference)" />}
        <img
          src={largest?.link ?? link}
          {...(largest && { srcSet: previews.map((one) => `${one.link} ${one.width}w`).join(', ') })}
          sizes="(width < 960px) min(100vw, 480px), 340px"
          width={width ?? undefined}
          height={height ?? undefined}
          alt={details?.alt_text ?? name}
          data-transparent={details?.image?.has_alpha || undefined}
          style={styleOf(item)}
          onError={() => setIsBroken(true)}
        />
      </picture>
    </a>
  );
}

/**
 * The aspect ratio, so that nothing moves when the picture is loaded, and the blurred placeholder until then, which would
 * show through a transparent picture.
 */
function styleOf({ width, height, details }: MediaItem): CSSProperties & { readonly '--ratio'?: number } {
  return {
    ...(width && height && { '--ratio': width / height }),
    ...(details?.placeholder && !details.image?.has_alpha && { backgroundImage: `url("${details.placeholder}")` }),
  };
}
