/** A chosen media item, with what a page needs to show or store it. */
export interface PickedItem {
  readonly id: string;
  /** The file's name, with its extension. */
  readonly name: string;
  /** Where the file is shown, without a token; it never changes. */
  readonly url: string;
  readonly kind: 'image' | 'video';
  /** The media type, such as `image/jpeg`. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels, as displayed. */
  readonly width: number | null;
  readonly height: number | null;
  /** Seconds of a video; null for images. */
  readonly duration: number | null;
  /** Describes the picture where it can't be seen; null where nobody has written it. */
  readonly altText: string | null;
  /** Smaller pictures of it, the narrowest first; of a video those of its cover. There may be none. */
  readonly previews: readonly { readonly url: string; readonly width: number; readonly height: number }[];
}

/** The detail of a {@link PostshelfPicker}'s event once somebody has chosen. */
export interface SelectDetail {
  /** One; with `multiple`, one or more, in the order in which they were chosen. */
  readonly items: readonly PickedItem[];
}

/**
 * A token, or a function that gives one: called when the first is needed, and again when the service refuses the last.
 */
export type PickerToken = string | (() => string | Promise<string>);
