/** Of syslog (RFC 5424 section 6.2.1), which has eight. */
const PRIORITIES: Readonly<Record<string, number>> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3, fatal: 2 };

const HEAD = '{"level":"';

/**
 * A line of the JSON log as systemd's journal wants it (sd-daemon(3)): its level in front as a priority, which
 * `journalctl -p` sorts by; the object follows as it is.
 */
export function withPriority(line: string): string {
  const level = line.startsWith(HEAD) ? line.slice(HEAD.length, line.indexOf('"', HEAD.length)) : 'info';
  return `<${PRIORITIES[level] ?? PRIORITIES.info}>${line}`;
}
