import type { MediaItem } from '@postshelf/client';
import { type RefObject, useState } from 'react';
import { altOf } from './slide.ts';

interface FilmProps {
  readonly item: MediaItem;
  readonly film: RefObject<HTMLVideoElement | null>;
  /** The playback rate. */
  readonly speed: number;
  /** Called with the item's id if the browser can't play its video, and with null once the browser can. */
  onUnplayable(id: string | null): void;
}

/** A video in the browser's own player, which shows the video's cover until playback starts. */
export function Film({ item, film, speed, onUnplayable }: FilmProps) {
  const { id, name, link, details, thumbnail } = item;
  const [isUnplayable, setIsUnplayable] = useState(false);
  // A renewed link would restart the video, so the first link is used until it fails.
  const [source, setSource] = useState(link);
  const cover = details?.previews.at(-1)?.link ?? thumbnail?.link;
  const codec = details?.video?.codec;
  const report = (unplayable: boolean): void => {
    setIsUnplayable(unplayable);
    onUnplayable(unplayable ? id : null);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: uploaded videos have no caption files */}
      <video
        ref={film}
        aria-label={altOf(item)}
        src={source}
        poster={cover}
        controls
        playsInline
        preload="metadata"
        onPlay={({ currentTarget }) => {
          currentTarget.playbackRate = speed;
          announce(name, cover);
        }}
        onError={() => (source === link ? report(true) : setSource(link))}
        onLoadedMetadata={() => report(false)}
      />
      {isUnplayable && (
        <p className="viewer-note" role="status">
          This browser can’t play the video{codec ? ` (${codec})` : ''}. Download it to watch it.
        </p>
      )}
    </>
  );
}

/** Sets the title and cover of the operating system's media controls. */
function announce(title: string, cover: string | undefined): void {
  if (!('mediaSession' in navigator)) return;
  navigator.mediaSession.metadata = new MediaMetadata({ title, ...(cover && { artwork: [{ src: cover }] }) });
}
