/** Addresses under which the storage itself serves published objects for a while: what a redirect points at. */
export interface TemporaryLinks {
  /**
   * A URL that answers this method for the object until it expires, ranges included, with the object's type.
   * Whether there is such an object isn't looked at. A key that is none is refused with a throw.
   */
  linkTo(
    key: string,
    options: {
      /** A link signed for one is refused for the other. */
      readonly method: 'GET' | 'HEAD';
      /** Whole seconds, 1 to 604,800 (a week). */
      readonly expiresIn: number;
    },
  ): Promise<string>;
}
