/**
 * What is kept about a file beyond what every answer shows (docs/api.md, "More about an item"). What isn't known is
 * null.
 */
export interface MediaDetails {
  /** null for videos. */
  readonly image: ImageDetails | null;
  /** null for images. */
  readonly video: VideoDetails | null;
}

export interface ImageDetails {
  /** Number of frames: 1 unless it is animated. */
  readonly frames: number | null;
  readonly hasAlpha: boolean | null;
}

export interface VideoDetails {
  /** By mediabunny's short names: `avc`, `hevc`, `vp9`, `av1`, … */
  readonly codec: string | null;
  /** Whole milliseconds. */
  readonly durationMs: number | null;
  /** Frames a second, on average. */
  readonly frameRate: number | null;
  /** Bits a second, of all tracks together. */
  readonly bitrate: number | null;
  /** Chroma subsampling: `4:2:0`, `4:2:2`, `4:4:4`, `4:0:0`. */
  readonly chroma: string | null;
  /** Degrees clockwise by which a player rotates the frames. */
  readonly rotation: 0 | 90 | 180 | 270 | null;
  /** Whether the movie box comes before the media data, so that a player can begin at once. */
  readonly moovFirst: boolean | null;
  /** Whether an edit list leaves out or moves anything. */
  readonly editList: boolean | null;
  /** The first audio track; null where there is none. */
  readonly audio: AudioDetails | null;
}

export interface AudioDetails {
  readonly codec: string | null;
  /** Hertz. */
  readonly sampleRate: number | null;
  readonly channels: number | null;
}
