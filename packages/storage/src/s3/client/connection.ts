import { S3Client } from '@aws-sdk/client-s3';
import { ATTEMPTS, TIMEOUTS, type Timeouts } from './timeouts.ts';

/** Which bucket, and how to reach it. */
export interface S3Options {
  /** Base URL of the store; absent: AWS. */
  readonly endpoint?: string;
  /**
   * Base URL of the store as clients reach it, which signed addresses begin with; absent: {@link endpoint}. A signature
   * covers the host, so a proxy before the store has to hand it on as it came.
   */
  readonly clientEndpoint?: string;
  readonly region: string;
  readonly bucket: string;
  /** Absent: found where AWS' own tools look (environment, shared files, container or instance role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** `https://store/bucket/key` rather than `https://bucket.store/key`: what most stores that aren't AWS want. */
  readonly forcePathStyle: boolean;
  /** Absent: {@link TIMEOUTS}. */
  readonly timeouts?: Timeouts;
}

/** A bucket within reach, shared by everything that works on it. */
export interface S3Connection {
  readonly client: S3Client;
  /** Signs addresses for clients, and is asked nothing else: its endpoint may be out of reach from here. */
  readonly signer: S3Client;
  readonly bucket: string;
  /** The bucket and where it is, for messages; no secret in it. */
  readonly place: string;
  /** Where signed addresses are, as browsers see it: `https://bucket.store` or `https://store`. */
  readonly clientOrigin: string;
  readonly timeouts: Timeouts;
  /** Ends the idle connections. */
  close(): void;
}

/** Sockets in all. A body that is sent to a slow reader holds one for as long as that takes. */
const MAX_SOCKETS = 512;

/** The SDK warns on the console by itself; what matters to anybody is in the errors that it throws. */
const ignore = (): void => {};
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Connects lazily: nothing is asked of the store yet. */
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

/** By the SDK's own rules: not every bucket's name can be a part of the host's. */
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
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // A copy: the SDK writes into it.
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
    region,
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    // Not every store knows the newer checksums; signatures and lengths are checked by all.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Where a store or a proxy before it never says 100 Continue, each body would wait six seconds for it.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: timeouts.connect,
      requestTimeout: timeouts.response,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
