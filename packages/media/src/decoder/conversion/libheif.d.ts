/**
 * A single file that includes the WebAssembly. Only those functions of the C interface are declared that are called.
 */
declare module 'libheif-js/libheif-wasm/libheif-bundle.mjs' {
  type Address = number;

  /** Functions that return a `heif_error` take its address first. */
  export interface Libheif {
    readonly HEAPU8: Uint8Array;
    readonly HEAP32: Int32Array;
    _malloc(length: number): Address;
    _heif_context_alloc(): Address;
    _heif_context_read_from_memory(error: Address, context: Address, bytes: Address, length: number, options: 0): void;
    _heif_context_set_maximum_image_size_limit(context: Address, side: number): void;
    _heif_context_get_primary_image_handle(error: Address, context: Address, handle: Address): void;
    _heif_context_has_sequence(context: Address): number;
    /** 0 means the first track of images. */
    _heif_context_get_track(context: Address, id: 0): Address;
    _heif_track_get_image_resolution(error: Address, track: Address, width: Address, height: Address): void;
    _heif_track_decode_next_image(
      error: Address,
      track: Address,
      image: Address,
      colours: number,
      chroma: number,
      options: Address,
    ): void;
    _heif_image_handle_get_width(handle: Address): number;
    _heif_image_handle_get_height(handle: Address): number;
    _heif_image_handle_has_alpha_channel(handle: Address): number;
    _heif_decoding_options_alloc(): Address;
    _heif_decode_image(
      error: Address,
      handle: Address,
      image: Address,
      colours: number,
      chroma: number,
      options: Address,
    ): void;
    _heif_image_is_premultiplied_alpha(image: Address): number;
    _heif_image_get_width(image: Address, channel: number): number;
    _heif_image_get_height(image: Address, channel: number): number;
    _heif_image_get_bits_per_pixel_range(image: Address, channel: number): number;
    _heif_image_get_plane_readonly2(image: Address, channel: number, stride: Address): Address;
  }

  const factory: (options: {
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }) => Libheif;
  // biome-ignore lint/style/noDefaultExport: it is how the package exports it.
  export default factory;
}
