/** A chosen media item, with what a page needs to show or store it. */
export interface PickedItem {
  readonly id: string;
  /** The file's name, with its extension. */
  readonly name: string;
  /** The file's permanent URL, which needs no token; in workspaces with signed links it needs a signature. */
  readonly url: string;
  readonly kind: 'image' | 'video';
  /** The media type, such as `image/jpeg`. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels, as displayed. */
  readonly width: number | null;
  readonly height: number | null;
  /** Duration of a video in seconds; null for images. */
  readonly duration: number | null;
  /** The alternative text; null if there is none. */
  readonly altText: string | null;
  /**
   * Smaller versions of the image, or of a video's cover, the narrowest first. The list may be empty. In workspaces
   * with signed links, the URLs are valid for at least half an hour.
   */
  readonly previews: readonly { readonly url: string; readonly width: number; readonly height: number }[];
}

/** The `detail` of the `pick` event of {@link PostshelfPicker}. */
export interface SelectDetail {
  /** One item, or with `multiple` one or more, in the order in which they were chosen. */
  readonly items: readonly PickedItem[];
}

/**
 * A token, or a function that returns one. The function is called when a token is first needed, and again whenever the
 * service has refused the current one.
 */
export type PickerToken = string | (() => string | Promise<string>);

/** The `detail` of the `error` event of {@link PostshelfPicker}. */
export interface ErrorDetail {
  /** The sentence that the picker shows. */
  readonly message: string;
  /** The HTTP status of the service's response; null if there was none. */
  readonly status: number | null;
}
