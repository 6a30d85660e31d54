/** How to reach a store; the settings are the service's own. */
export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly forcePathStyle: boolean;
}
