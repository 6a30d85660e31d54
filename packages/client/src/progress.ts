export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** Called as the bytes are sent. They are stored once the call's promise resolves. */
export type OnProgress = (progress: UploadProgress) => void;
