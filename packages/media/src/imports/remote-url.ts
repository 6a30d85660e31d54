import { failedForGood, refused } from './failures.ts';

/** The requested URL, or one that a server redirects to. */
export interface RemoteUrl {
  readonly url: URL;
  /** The host's name for messages: as in the URL, never an address that the host resolves to. */
  readonly name: string;
  /** The host in the form that the operating system needs: IPv6 without brackets, a name without a trailing dot. */
  readonly host: string;
}

export const portOf = ({ url }: RemoteUrl): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/**
 * Maximum length of a redirect's location. It exceeds the 2048 characters that callers may send, because signed URLs of
 * object stores are longer. Servers should accept request lines of 8,000 bytes (RFC 9112 section 3).
 */
const MAX_LOCATION_LENGTH = 8000;

/** The longest name that DNS can represent (RFC 1035 section 2.3.4). */
const MAX_NAME_LENGTH = 253;

/**
 * Parses a URL by the WHATWG standard, which normalises every spelling of an IP address.
 *
 * @throws RemoteError `refused` if it isn't a URL, is neither http nor https, or contains credentials
 */
export function parseUrl(text: string): RemoteUrl {
  const url = URL.parse(text);
  if (url === null) throw refused('The URL is not valid.');
  if (!isHttp(url)) throw refused('The URL must begin with http:// or https://.');
  if (hasCredentials(url)) throw refused('The URL must not hold a user name or a password.');
  return remoteUrlOf(url);
}

/**
 * Follows a redirect (RFC 9110 section 15.4), even from https to http, because the request contains no secrets.
 *
 * @param location one character per byte, as Node returns it
 * @throws RemoteError `refused` like {@link parseUrl}; `failed` if the location is missing or invalid
 */
export function followRedirect(from: RemoteUrl, location: string | undefined): RemoteUrl {
  const server = `The server at ${from.name}`;
  if (location === undefined) throw failedForGood(`${server} redirects to nowhere.`);
  // Some servers send UTF-8 or Latin-1 where the RFC requires percent-encoding. Like browsers, this keeps the bytes.
  const ascii = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  const url = URL.parse(ascii, from.url.href);
  if (url === null) throw failedForGood(`${server} redirects to an invalid URL.`);
  if (url.href.length > MAX_LOCATION_LENGTH) throw failedForGood(`${server} redirects to a URL that is too long.`);
  if (!isHttp(url)) throw refused(`${server} redirects to a URL that is neither http nor https.`);
  if (hasCredentials(url)) throw refused(`${server} redirects to a URL with a user name or a password.`);
  return remoteUrlOf(url);
}

const isHttp = (url: URL): boolean => url.protocol === 'http:' || url.protocol === 'https:';

const hasCredentials = (url: URL): boolean => url.username !== '' || url.password !== '';

function remoteUrlOf(url: URL): RemoteUrl {
  const name = url.hostname.slice(0, MAX_NAME_LENGTH);
  return { url, name, host: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') };
}
