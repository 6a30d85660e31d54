/** Thrown if a decoder can't be loaded, whatever the image is. */
export class CannotLoad extends Error {
  override readonly name = 'CannotLoad';
}
