/** The path of the file, on disk or inside the compiled program. */
declare module '*.jpg' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}

declare module '*.webp' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}
