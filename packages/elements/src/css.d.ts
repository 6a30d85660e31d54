declare module '*.css?inline' {
  const css: string;
  // biome-ignore lint/style/noDefaultExport: Vite exports a file's content as default.
  export default css;
}
