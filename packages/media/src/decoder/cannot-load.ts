/** A decoder can't be loaded, whatever the picture is. */
export class CannotLoad extends Error {
  override readonly name = 'CannotLoad';
}
