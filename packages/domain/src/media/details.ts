import type { ConvertedType } from './converted-type.ts';

/** Details that responses contain on request; null if not known. */
export interface MediaDetails {
  readonly image: ImageDetails | null;
  readonly video: VideoDetails | null;
  /** The original type, if the file was converted. */
  readonly convertedFrom?: ConvertedType;
}

export interface ImageDetails {
  /** Number of frames: 1 unless the image is animated; null if it isn't known. */
  readonly frames: number | null;
  readonly hasAlpha: boolean | null;
}

export interface VideoDetails {
  /** mediabunny's short names: `avc`, `hevc`, `vp9`, `av1`, … */
  readonly codec: string | null;
  readonly durationMs: number | null;
  /** The average. */
  readonly frameRate: number | null;
  /** The total of all tracks. */
  readonly bitrate: number | null;
  /** `4:2:0`, `4:2:2`, `4:4:4`, `4:0:0` */
  readonly chroma: string | null;
  /** The clockwise rotation that a player applies, in degrees. */
  readonly rotation: 0 | 90 | 180 | 270 | null;
  readonly moovFirst: boolean | null;
  /** Whether an edit list skips or moves anything. */
  readonly editList: boolean | null;
  /** The transfer curve of an HDR video; null for other videos, and for videos that state it only in their frames. */
  readonly hdr: 'hlg' | 'pq' | null;
  /** The sound track that players use; null if there is none. */
  readonly audio: AudioDetails | null;
}

export interface AudioDetails {
  readonly codec: string | null;
  readonly sampleRate: number | null;
  readonly channels: number | null;
}
