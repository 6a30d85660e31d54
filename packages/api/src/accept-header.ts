import Negotiator from 'negotiator';

/**
 * Returns the media types and ranges that a client accepts, in lower case and without parameters, the preferred ones
 * first. A client that sends no `Accept` header accepts any type (RFC 9110, section 12.5.1).
 */
export const acceptedTypes = (headers: Headers): readonly string[] =>
  new Negotiator({ headers: { accept: headers.get('accept')?.toLowerCase() } }).mediaTypes();
