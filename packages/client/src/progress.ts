/** The progress of an upload, in bytes of the files. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/**
 * Called with the progress of an upload as the browser or the network takes the bytes. When all bytes are reported they
 * may still be in transit; they are stored once the call's promise resolves.
 */
export type OnProgress = (progress: UploadProgress) => void;
