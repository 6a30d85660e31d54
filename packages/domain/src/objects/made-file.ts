/** A temporary file that the service has made. */
export interface MadeFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes; may be called once. */
  body(): AsyncIterable<Uint8Array>;
}
