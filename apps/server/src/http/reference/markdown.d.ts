/** A page of the documentation, imported as text. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default text;
}
