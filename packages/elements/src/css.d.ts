declare module '*.css?inline' {
  const css: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default css;
}
