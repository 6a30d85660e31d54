// probe-image-size is published without types. Of its entries (README, "API") this one brings no HTTP client along.

declare module 'probe-image-size/sync.js' {
  /** Of the headers of an image, up to the dimensions at least; null when it finds none. */
  function probe(bytes: Uint8Array): {
    readonly width: number;
    readonly height: number;
    /** 1 to 8, where EXIF says one. */
    readonly orientation?: number;
  } | null;
  export = probe;
}
