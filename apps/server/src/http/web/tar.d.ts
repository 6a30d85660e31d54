/** An archive, imported as a file: what comes is where it is, on disk or inside the compiled program. */
declare module '*.tar' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}
