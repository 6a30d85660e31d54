/** Size in pixels as stored, and an EXIF orientation, 1 to 8. */
export interface ImageFrame {
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
}
