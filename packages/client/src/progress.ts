/** The progress of an upload, in bytes of the files. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/**
 * Called with the progress of an upload, as the browser or the network takes the bytes. After the last byte they are on
 * their way; they are stored when the call's promise resolves.
 */
export type OnProgress = (progress: UploadProgress) => void;
