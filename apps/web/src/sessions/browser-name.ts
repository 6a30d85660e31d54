/** By what browsers say of themselves, the more particular first: each claims to be its forebears, too. */
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

/** What a session is called in the list of them: "Firefox on Linux". */
export function browserName(userAgent: string): string {
  const find = (names: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(names).find(([sign]) => userAgent.includes(sign))?.[1];
  const system = find(SYSTEMS);
  return `${find(BROWSERS) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
}
