/** The settings with which a store is reached. Their names are those of the service's own settings. */
export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly forcePathStyle: boolean;
}
