/** A temporary file that the service has made. */
export interface MadeFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes. Can be called only once. */
  body(): AsyncIterable<Uint8Array>;
}
