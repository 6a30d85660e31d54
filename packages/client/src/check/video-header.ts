import { chromaOf, hdrOf, type ParentBox, readSound, trackSkeleton } from '@postshelf/domain/formats';
import type { VideoDetails } from '@postshelf/domain/readiness';
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { readMovieBoxes } from './movie-boxes.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** The properties of a video. Width and height are as displayed, after rotation. */
export interface VideoHeader {
  readonly width: number;
  readonly height: number;
  readonly details: VideoDetails;
}

/**
 * Reads the properties of a video.
 *
 * @throws UnreadableFile if there is no video track; whatever `readMovieBoxes` throws
 */
export async function videoHeader(file: Blob, type: 'video/mp4' | 'video/quicktime'): Promise<VideoHeader> {
  const { movie, shown, durationMs, frameRate, moovFirst, editList } = await readMovieBoxes(file);
  // mediabunny would log a warning in the page's console for every unknown codec.
  Logging.level = LogLevel.Silent;
  const open = (track: ParentBox) =>
    new Input({ source: new BufferSource(trackSkeleton(movie, track, type)), formats: [MP4, QTFF] });
  using input = open(shown);
  const [track] = await input.getVideoTracks();
  if (!track) throw new UnreadableFile('The file has no video track.');
  return {
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    details: {
      codec: await track.getCodec(),
      durationMs,
      frameRate,
      bitrate: durationMs ? Math.round((file.size * 8000) / durationMs) : null,
      chroma: chromaOf(shown),
      rotation: await track.getRotation(),
      moovFirst,
      editList,
      hdr: hdrOf(shown),
      audio: await readSound(movie, open),
    },
  };
}
