/** A temporary file that the service has made. */
export interface MadeFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /** Once. */
  body(): AsyncIterable<Uint8Array>;
}
