const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** Formats a size in binary units, like the service's limits: 200 MB are 200 * 1024². */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that would be rounded to 1024 becomes 1 of the next unit.
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${unit === 0 && bytes === 1 ? 'byte' : UNITS[unit]}`;
}
