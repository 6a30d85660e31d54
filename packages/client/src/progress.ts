/** How far an upload has come. Both in bytes of the files, without what surrounds them on the way. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/**
 * Hears how far an upload has come, as the browser or the network took the bytes: the last of them being on their way
 * doesn't mean that they are stored. That is so when the call's promise resolves.
 */
export type OnProgress = (progress: UploadProgress) => void;
