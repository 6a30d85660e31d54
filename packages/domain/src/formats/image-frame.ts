/** The size of an image in pixels as it is stored, and how it is to be turned: an EXIF orientation, 1 to 8. */
export interface ImageFrame {
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
}
