const MIB = 1024 * 1024;

/** Bytes of the largest file in the library, 2 GB, however it is uploaded (docs/api.md, "Upload media"). */
export const MAX_FILE_BYTES = 2 * 1024 * MIB;

/** Files in one multipart or presign request: 1 to 10. Above: 422 on `files`. */
export const MAX_FILES_PER_REQUEST = 10;

/** Bytes of one multipart file, 200 MB. Above: 413 that names presign (docs/api.md, "Upload media"). */
export const MAX_MULTIPART_FILE_BYTES = 200 * MIB;

/** The answer to a multipart file over {@link MAX_MULTIPART_FILE_BYTES}. */
export const MULTIPART_FILE_TOO_LARGE =
  'A file in files[] must not be larger than 200 MB. For larger files, use presign: POST /workspaces/{workspace}/media_contents/presign.';
