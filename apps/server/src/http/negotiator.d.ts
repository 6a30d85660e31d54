/** The parts of the package that are used here. The published types lack `preferred`, which has existed since 1.0. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /**
     * Returns the types and ranges that the client accepts, without their parameters. The types that the client prefers
     * come first.
     */
    mediaTypes(): string[];
    /** Returns the available type that the client prefers; undefined if it accepts none. */
    mediaType(available: readonly string[]): string | undefined;
    /** @param options `preferred`: the order in which we prefer codings that the client accepts equally */
    encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
  }
  // biome-ignore lint/style/noDefaultExport: the package has a default export.
  export default Negotiator;
}
