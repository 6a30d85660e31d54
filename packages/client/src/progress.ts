export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** Called while the files are sent. They are stored only when the call's promise resolves. */
export type OnProgress = (progress: UploadProgress) => void;
