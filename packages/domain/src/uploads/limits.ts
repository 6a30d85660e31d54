const MIB = 1024 * 1024;

export const MAX_FILE_BYTES = 2 * 1024 * MIB;

/** Maximum number of files in a request; more are answered with 422 on `files`. */
export const MAX_FILES_PER_REQUEST = 10;

/**
 * Maximum size of a file in bytes; a larger one is answered with 413 and a message that suggests a presigned upload.
 */
export const MAX_MULTIPART_FILE_BYTES = 200 * MIB;

export const MULTIPART_FILE_TOO_LARGE =
  'A file in files[] must not be larger than 200 MB. For larger files, use presign: POST /workspaces/{workspace}/media_contents/presign.';
