/** The path of the file, on disk or inside the compiled program. */
declare module '@jsquash/avif/codec/dec/avif_dec.wasm' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}
