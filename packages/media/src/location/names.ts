/** The outcome of a search: no coordinates found; removed in place; or the block is to be removed as a whole. */
export type Outcome = 'untouched' | 'changed' | 'drop';

/** Matches `exif:GPSLatitude`, `drone-dji:GpsLongtitude` (DJI's spelling), `drone-dji:AbsoluteAltitude`. */
const COORDINATE = /gps|latitude|longi?t?itude|longtitude|altitude/i;

/** Names of the W3C's vocabulary for positions, which must match exactly. */
const SHORT_NAMES = new Set(['lat', 'long', 'lat_long']);

/**
 * Whether a property's local name means a coordinate; prefixes can be chosen freely. Names of places (`photoshop:City`)
 * aren't coordinates: people write them for readers.
 */
export const isCoordinate = (name: string): boolean => COORDINATE.test(name) || SHORT_NAMES.has(name);

/** Whether a text may have a property that {@link isCoordinate}. */
export const mayNameCoordinates = (text: string): boolean =>
  COORDINATE.test(text) || /[\s:<](?:lat|long|lat_long)[\s=>]/.test(text);

/** Searches for the syntax of XMP, since the letters alone occur by chance in image data. */
export const hasCoordinateProperty = (bytes: Uint8Array): boolean =>
  /[\s<:][\w.-]*(?:gps|latitude|longi?t?itude|longtitude|altitude)[\w.-]*\s?[=>]/i.test(latin1(bytes));

export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Whether bytes contain EXIF's names of GPS positions, for example in claims that a camera signed (C2PA). */
export function namesGpsPosition(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return text.includes('GPSLatitude') || text.includes('GPSLongitude');
}

/** Whether a key of QuickTime's metadata is about a place: its coordinates, its name, or their accuracy. */
export const isLocationKey = (key: string): boolean => /location|gps|latitude|longitude|(?:^|[.:\xa9])xyz$/i.test(key);
