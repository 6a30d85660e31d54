const SIZES = ['bytes', 'KB', 'MB', 'GB'] as const;

/** 482 KB, 1.4 MB: thousands, as the service's limits count them. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let step = 0;
  // What would be shown as 1000 KB is 1 MB.
  while (step < SIZES.length - 1 && Number(size.toPrecision(3)) >= 1000) {
    size /= 1000;
    step += 1;
  }
  const shown = step === 0 ? size : Number(size.toPrecision(size < 10 ? 2 : 3));
  return `${shown} ${step === 0 && bytes === 1 ? 'byte' : SIZES[step]}`;
}

/** 0:32, 1:04, 1:02:03. A fraction of a second counts as none. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** 21 Nov 2026, 18:05, by the clocks of a time zone. */
export function formatTime(instant: string, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(
    new Date(instant),
  );
}

/** "1 post", "3 posts". */
export const countOf = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
