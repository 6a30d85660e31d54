import type { LinkSignature } from '@postshelf/domain';

/** Returns the signature in the URL of a request. */
export function signatureOf({ url }: Request): LinkSignature {
  const query = new URL(url).searchParams;
  return { expires: query.get('expires'), signature: query.get('signature') };
}
