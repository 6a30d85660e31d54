import { S3Client } from '@aws-sdk/client-s3';
import { limitAnswers } from './limit-answers.ts';
import { ATTEMPTS, TIMEOUTS, type Timeouts } from './timeouts.ts';

export interface S3Options {
  /** Default AWS. */
  readonly endpoint?: string;
  /**
   * The store's base URL as clients reach it, for signed addresses. Default {@link endpoint}. Signatures cover the
   * host, so a proxy must pass `Host` on unchanged.
   */
  readonly clientEndpoint?: string;
  readonly region: string;
  readonly bucket: string;
  /** Default: the credentials that AWS' own tools would find (environment, shared files, role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /**
   * Whether URLs are `https://store/bucket/key`, which most stores other than AWS need, instead of
   * `https://bucket.store/key`.
   */
  readonly forcePathStyle: boolean;
  /** Default {@link TIMEOUTS}. */
  readonly timeouts?: Timeouts;
}

export interface S3Connection {
  readonly client: S3Client;
  /** Signs URLs for clients. Its endpoint may be unreachable from this machine. */
  readonly signer: S3Client;
  readonly bucket: string;
  readonly place: string;
  /** `https://bucket.store` or `https://store`. */
  readonly clientOrigin: string;
  readonly timeouts: Timeouts;
  close(): void;
}

/** Maximum number of sockets. A body that is sent to a slow reader occupies a socket until the reader has all of it. */
const MAX_SOCKETS = 512;

/** Logs nothing, because everything relevant is in the errors that the SDK throws. */
const ignore = (): void => {};
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export function connect(options: S3Options): S3Connection {
  const { endpoint, clientEndpoint = endpoint, region, bucket, timeouts = TIMEOUTS } = options;
  const client = clientAt(endpoint, options);
  const signer = clientEndpoint === endpoint ? client : clientAt(clientEndpoint, options);
  return {
    client,
    signer,
    bucket,
    clientOrigin: originAt(signer, clientEndpoint, options),
    place: `the bucket "${bucket}" at ${endpoint ?? `AWS, region ${region}`}`,
    timeouts,
    close: () => {
      client.destroy();
      signer.destroy();
    },
  };
}

/**
 * Returns the origin of the bucket's URLs. The SDK determines it, because not every bucket's name can be part of a host
 * name.
 */
function originAt(
  { config }: S3Client,
  endpoint: string | undefined,
  { region, bucket, forcePathStyle }: S3Options,
): string {
  const place = { Bucket: bucket, Region: region, ForcePathStyle: forcePathStyle };
  return config.endpointProvider(endpoint === undefined ? place : { ...place, Endpoint: endpoint }).url.origin;
}

function clientAt(
  endpoint: string | undefined,
  { region, credentials, forcePathStyle, timeouts = TIMEOUTS }: S3Options,
): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // The SDK gets a copy because it writes into the object.
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
    region,
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    // Some stores don't support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise each body would wait six seconds for a 100 Continue response, which some stores never send.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: timeouts.connect,
      requestTimeout: timeouts.response,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  limitAnswers(client, timeouts.response);
  return client;
}
