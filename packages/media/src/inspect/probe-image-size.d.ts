// probe-image-size is published without types.

declare module 'probe-image-size/lib/formats/*.js' {
  export class Parser {
    push(chunk: Uint8Array): void;
    getStatus(): number;
    getResult(): { readonly width: number; readonly height: number; readonly orientation?: number } | undefined;
    /** How many of the bytes to come the parser is going to pass over. */
    readonly bytes_to_skip?: number;
    /** JPEG alone: what the current segment holds. */
    readonly segment_bytes_left?: number;
  }
}

declare module 'probe-image-size/lib/common/exif_orientation_parser.js' {
  /** Reads a TIFF block, piece by piece. */
  export class Parser {
    push(chunk: Uint8Array): void;
    /** 1 to 8 (EXIF 2.32, tag 0x0112); 0 when there is none. */
    readonly orientation: number;
  }
}

declare module 'probe-image-size/lib/common/utils.js' {
  export const NEED_MORE: number;
  export const DONE: number;
}
