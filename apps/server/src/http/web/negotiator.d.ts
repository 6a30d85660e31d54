/** What is used of it; the published types don't know `preferred`, which is in it since 1.0. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /** The one of these types that the client wants most; undefined where it takes none. */
    mediaType(available: readonly string[]): string | undefined;
    /** @param options `preferred`: their order where the client wants several equally */
    encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
  }
  // biome-ignore lint/style/noDefaultExport: as the package has it.
  export default Negotiator;
}
