import { certificateProblem } from '@postshelf/domain';
import { codeOf, httpStatusOf, isTransient, withoutSecrets } from './failures.ts';

/** The option that is probably wrong. */
export type FaultyOption = 'bucket' | 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey';

/** Thrown for a bucket that can't be used. Its message is one line without secrets. */
export class UnusableBucket extends Error {
  override readonly name = 'UnusableBucket';

  constructor(
    readonly option: FaultyOption,
    message: string,
    options: { readonly cause: unknown },
  ) {
    super(message, options);
  }
}

const DENIED = 'AccessDenied';
const ALL_RIGHTS = 'list it, read in it, write to it and delete in it';

const REASONS: Readonly<Record<string, readonly [FaultyOption, string]>> = {
  NoSuchBucket: ['bucket', 'there is no such bucket'],
  InvalidBucketName: ['bucket', 'that is not a valid bucket name'],
  InvalidAccessKeyId: ['accessKeyId', 'the access key is unknown'],
  SignatureDoesNotMatch: ['secretAccessKey', 'the secret key is wrong'],
  [DENIED]: ['accessKeyId', 'the access key is not allowed to'],
  PermanentRedirect: ['region', 'it is in another region or at another endpoint'],
  AuthorizationHeaderMalformed: ['region', 'it is in another region'],
  RequestTimeTooSkewed: ['endpoint', 'the clocks of this machine and the store differ too much'],
  CredentialsProviderError: ['accessKeyId', 'no credentials were given or found'],
};

/**
 * @param place the bucket's name and location
 * @param right the action that was tried, in words that complete "the access key is not allowed to"
 */
export function unusable(error: unknown, place: string, right = ALL_RIGHTS): UnusableBucket {
  const code = codeOf(error) ?? 'an answer that S3 does not give';
  const status = httpStatusOf(error);
  const [option, reason] = REASONS[code] ?? fallback(error);
  const message = `Can't use ${place}: ${code === DENIED ? `${reason} ${right}` : reason} (${code}${status > 0 ? `, HTTP ${status}` : ''}).`;
  return new UnusableBucket(option, message, { cause: withoutSecrets(error) });
}

const fallback = (error: unknown): readonly [FaultyOption, string] => [
  'endpoint',
  certificateProblem(error) ?? (isTransient(error) ? 'the store is out of reach' : 'the store refuses the request'),
];
