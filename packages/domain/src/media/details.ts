/** What answers show on request alone (docs/api.md, "More about an item"); null: not known. */
export interface MediaDetails {
  readonly image: ImageDetails | null;
  readonly video: VideoDetails | null;
}

export interface ImageDetails {
  /** 1 unless it is animated. */
  readonly frames: number | null;
  readonly hasAlpha: boolean | null;
}

export interface VideoDetails {
  /** mediabunny's short names: `avc`, `hevc`, `vp9`, `av1`, … */
  readonly codec: string | null;
  readonly durationMs: number | null;
  /** On average. */
  readonly frameRate: number | null;
  /** Of all tracks together. */
  readonly bitrate: number | null;
  /** `4:2:0`, `4:2:2`, `4:4:4`, `4:0:0` */
  readonly chroma: string | null;
  /** Degrees clockwise by which a player rotates frames. */
  readonly rotation: 0 | 90 | 180 | 270 | null;
  /** The movie box before the media data: a player can begin at once. */
  readonly moovFirst: boolean | null;
  /** One that leaves out or moves anything. */
  readonly editList: boolean | null;
  /** Of the first audio track; null where there is none. */
  readonly audio: AudioDetails | null;
}

export interface AudioDetails {
  readonly codec: string | null;
  readonly sampleRate: number | null;
  readonly channels: number | null;
}
