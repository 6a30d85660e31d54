import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { type RefObject, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { altOf } from './slide.ts';

interface VideoPlayerProps {
  readonly item: MediaItem;
  readonly player: RefObject<HTMLVideoElement | null>;
  /** The playback rate. */
  readonly speed: number;
  /** Called with the item's id if the browser can't play its video, and with null once the browser can. */
  onUnplayable(id: string | null): void;
}

/** A video in the browser's own player, which shows the video's cover until playback starts. */
export function VideoPlayer({ item, player, speed, onUnplayable }: VideoPlayerProps) {
  const { id, name, link, details, thumbnail } = item;
  const [problem, setProblem] = useState<'unplayable' | 'unreachable' | null>(null);
  // A renewed link would restart the video, so the first link is used until it fails.
  const [source, setSource] = useState(link);
  const cover = details?.previews.at(-1)?.link ?? thumbnail?.link;
  const codec = details?.video?.codec;
  const report = (found: typeof problem): void => {
    setProblem(found);
    onUnplayable(found === 'unplayable' ? id : null);
  };
  // The element reports the same error if the file can't be read as if it can't be played.
  const examine = async (): Promise<void> => {
    const isThere = await fetch(source, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    );
    report(isThere ? 'unplayable' : 'unreachable');
  };
  const retry = useStableCallback((): void => {
    setProblem(null);
    player.current?.load();
  });
  const isUnreachable = problem === 'unreachable';
  useEffect(() => {
    if (!isUnreachable) return;
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, [isUnreachable, retry]);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: uploaded videos have no caption files */}
      <video
        ref={player}
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
        onError={() => (source === link ? void examine() : setSource(link))}
        onLoadedMetadata={() => report(null)}
      />
      {problem && (
        <div className="viewer-note" role="status">
          {isUnreachable ? (
            <>
              The video couldn’t be loaded. <Button onPress={retry}>Try again</Button>
            </>
          ) : (
            `This browser can’t play the video${codec ? ` (${codec})` : ''}. Download it to watch it.`
          )}
        </div>
      )}
    </>
  );
}

/** Sets the title and cover of the operating system's media controls. */
function announce(title: string, cover: string | undefined): void {
  if (!('mediaSession' in navigator)) return;
  navigator.mediaSession.metadata = new MediaMetadata({ title, ...(cover && { artwork: [{ src: cover }] }) });
}
