/**
 * Browsers by their name in the `User-Agent` header. The most specific names come first, because a browser's header
 * also contains the names of older browsers.
 */
const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  Macintosh: 'a Mac',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

/** Returns a session's name in the list: "Firefox on Linux". */
export function browserName(userAgent: string): string {
  const find = (names: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(names).find(([sign]) => userAgent.includes(sign))?.[1];
  const system = find(SYSTEMS);
  return `${find(BROWSERS) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
}
