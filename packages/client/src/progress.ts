export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** Called as the browser or the network takes the bytes. They are stored once the call's promise resolves. */
export type OnProgress = (progress: UploadProgress) => void;
