// probe-image-size is published without types. Of its entries (README, "API") this one brings no HTTP client along.

declare module 'probe-image-size/sync.js' {
  /** Reads the headers of an image, at least up to the dimensions; null if there are none. */
  function probe(bytes: Uint8Array): {
    readonly width: number;
    readonly height: number;
    /** 1 to 8, if EXIF has one. */
    readonly orientation?: number;
  } | null;
  export = probe;
}
