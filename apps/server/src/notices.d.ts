/** The text that `.dev/notices.mjs` writes. */
declare module '*/THIRD_PARTY_NOTICES' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default text;
}
