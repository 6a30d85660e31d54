import { useRef, useState } from 'react';
import { useMay } from '../../workspaces/use-may.ts';
import { UseFrame } from './use-frame.tsx';
import type { SeenItem } from './use-item.ts';

/** A film in the browser's own player, which shows its cover until it starts. */
export function Player({ item, version }: SeenItem) {
  const { name, link, width, height, details, thumbnail } = item;
  const player = useRef<HTMLVideoElement>(null);
  const mayWrite = useMay('media:write');
  const [isUnplayable, setIsUnplayable] = useState(false);
  // A renewed link would begin the film anew, so the first one stays until it fails.
  const [source, setSource] = useState(link);
  const cover = details?.previews.at(-1)?.link ?? thumbnail?.link;
  const codec = details?.video?.codec;
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: uploaded films have no caption files */}
      <video
        ref={player}
        className="item-player"
        aria-label={details?.alt_text ?? name}
        src={source}
        poster={cover}
        width={width ?? undefined}
        height={height ?? undefined}
        controls
        playsInline
        preload="metadata"
        onPlay={() => announce(name, cover)}
        onError={() => (source === link ? setIsUnplayable(true) : setSource(link))}
        onLoadedMetadata={() => setIsUnplayable(false)}
      />
      {mayWrite && !isUnplayable && (
        <UseFrame item={item} version={version} second={() => player.current?.currentTime ?? 0} />
      )}
      {isUnplayable && (
        <p className="item-note" role="status">
          This browser can’t play the video{codec ? ` (${codec})` : ''}. Download it to watch it.
        </p>
      )}
    </>
  );
}

/** Sets what the operating system's media controls show. */
function announce(title: string, cover: string | undefined): void {
  if (!('mediaSession' in navigator)) return;
  navigator.mediaSession.metadata = new MediaMetadata({ title, ...(cover && { artwork: [{ src: cover }] }) });
}
