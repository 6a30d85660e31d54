import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { flag, type Read, text, wholeNumber } from './setting-kinds.ts';

export interface UploadConfig {
  /**
   * Maximum concurrent requests that upload files. A workspace that is the only one uploading files is limited to
   * {@link uploadConcurrencyPerWorkspace}.
   */
  readonly uploadConcurrency: number;
  readonly uploadConcurrencyPerWorkspace: number;
  /** Milliseconds after which a request is aborted if no further byte of its body arrives. */
  readonly uploadIdleTimeout: number;
  readonly uploadMinimumRate: number;
  /** Whether coordinates are removed from new files in workspaces that don't set this themselves. */
  readonly stripsLocation: boolean;
  /** Whether HEIC, HEIF and AVIF are accepted and converted to JPEG or PNG. */
  readonly convertsImages: boolean;
  /** The path of another build of libheif; null to use the one in the program. */
  readonly libheifPath: string | null;
}

export const uploadSettings = {
  UPLOAD_CONCURRENCY: v.optional(wholeNumber(1, 1000), '20'),
  UPLOAD_CONCURRENCY_PER_WORKSPACE: v.optional(wholeNumber(1, 1000)),
  UPLOAD_IDLE_TIMEOUT_MS: v.optional(wholeNumber(100, 240_000), '30000'),
  UPLOAD_MIN_BYTES_PER_SECOND: v.optional(wholeNumber(0, 1_000_000_000), '4096'),
  STRIP_LOCATION: flag('false'),
  CONVERT_IMAGES: flag('true'),
  LIBHEIF_PATH: v.optional(text('is not the path of a file', existsSync)),
};

export const readUploads = (read: Read<typeof uploadSettings>): UploadConfig => ({
  uploadConcurrency: read.UPLOAD_CONCURRENCY,
  uploadConcurrencyPerWorkspace: read.UPLOAD_CONCURRENCY_PER_WORKSPACE ?? Math.ceil(read.UPLOAD_CONCURRENCY / 2),
  uploadIdleTimeout: read.UPLOAD_IDLE_TIMEOUT_MS,
  uploadMinimumRate: read.UPLOAD_MIN_BYTES_PER_SECOND,
  stripsLocation: read.STRIP_LOCATION,
  convertsImages: read.CONVERT_IMAGES,
  libheifPath: read.LIBHEIF_PATH === undefined ? null : resolve(read.LIBHEIF_PATH),
});
