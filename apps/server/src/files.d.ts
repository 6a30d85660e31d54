// The kinds of files that are imported. A `path` is on disk or inside the compiled program.

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

declare module '*.tar' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}

declare module 'swagger-ui-dist/*' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default path;
}

declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default text;
}

declare module '*/THIRD_PARTY_NOTICES' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has no other name.
  export default text;
}
