const BOUNDARY = 'postshelf-benchmark-0123456789abcdef';

/** The `Content-Type` of a body of {@link partHead}s, files and {@link END}. */
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** What stands before the bytes of a file (RFC 7578 section 4). */
export const partHead = (fileName: string): string =>
  `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="${fileName}"\r\n` +
  'Content-Type: application/octet-stream\r\n\r\n';

export const END = `\r\n--${BOUNDARY}--\r\n`;
