import type { ConvertedType } from './converted-type.ts';

/** What answers show on request; null: not known. */
export interface MediaDetails {
  readonly image: ImageDetails | null;
  readonly video: VideoDetails | null;
  /** The type that came, if the file was converted. */
  readonly convertedFrom?: ConvertedType;
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
  /** Clockwise, by a player. */
  readonly rotation: 0 | 90 | 180 | 270 | null;
  readonly moovFirst: boolean | null;
  /** One that leaves out or moves anything. */
  readonly editList: boolean | null;
  /** The curve of an HDR video; null for others, and if only its frames would tell. */
  readonly hdr: 'hlg' | 'pq' | null;
  /** The first track. */
  readonly audio: AudioDetails | null;
}

export interface AudioDetails {
  readonly codec: string | null;
  readonly sampleRate: number | null;
  readonly channels: number | null;
}
