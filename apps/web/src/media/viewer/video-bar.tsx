import type { MediaItem } from '@postshelf/client';
import type { RefObject } from 'react';
import { Button } from '../../ui/button.tsx';
import { FrameBackIcon, FrameForwardIcon } from '../../ui/icons.tsx';
import { Select } from '../../ui/select.tsx';

const SPEEDS = ['0.25', '0.5', '1', '1.25', '1.5', '2'] as const;
type Speed = (typeof SPEEDS)[number];

interface VideoBarProps {
  readonly item: MediaItem;
  readonly player: RefObject<HTMLVideoElement | null>;
  readonly speed: number;
  onSpeed(speed: number): void;
}

/** Controls that the browser's own player doesn't have. */
export function VideoBar({ item, player, speed, onSpeed }: VideoBarProps) {
  const step = (frames: number): void => stepBy(player.current, item, frames);
  return (
    <div className="viewer-video-bar">
      <Button variant="quiet" className="viewer-button" aria-label="Previous frame" onPress={() => step(-1)}>
        <FrameBackIcon />
      </Button>
      <Button variant="quiet" className="viewer-button" aria-label="Next frame" onPress={() => step(1)}>
        <FrameForwardIcon />
      </Button>
      <Select<Speed>
        label="Speed"
        isLabelHidden
        value={SPEEDS.find((one) => Number(one) === speed) ?? '1'}
        options={SPEEDS.map((one) => ({ value: one, label: `${one}×` }))}
        onChange={(chosen) => {
          onSpeed(Number(chosen));
          if (player.current) player.current.playbackRate = Number(chosen);
        }}
      />
    </div>
  );
}

/** Assumed frame rate of videos that don't specify one. */
const DEFAULT_FRAME_RATE = 30;

/** Pauses a video, and moves it by a number of frames. */
export function stepBy(player: HTMLVideoElement | null, { details }: MediaItem, frames: number): void {
  if (!player) return;
  player.pause();
  const rate = details?.video?.frame_rate ?? DEFAULT_FRAME_RATE;
  player.currentTime = Math.min(player.duration || 0, Math.max(0, player.currentTime + frames / rate));
}
