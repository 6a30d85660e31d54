/** No place; changed in place; or to be removed as a whole. */
export type Outcome = 'untouched' | 'changed' | 'drop';

/** `exif:GPSLatitude`, `drone-dji:GpsLongtitude` (DJI's spelling), `drone-dji:AbsoluteAltitude`. */
const COORDINATE = /gps|latitude|longi?t?itude|longtitude|altitude/i;

/** Names of the W3C's vocabulary for positions, which must match exactly. */
const SHORT_NAMES = new Set(['lat', 'long', 'lat_long']);

/**
 * Prefixes can be chosen freely. Names of places (`photoshop:City`) aren't coordinates: people write them for readers.
 */
export const isCoordinate = (name: string): boolean => COORDINATE.test(name) || SHORT_NAMES.has(name);

/** Whether a text may have a property that {@link isCoordinate}. */
export const mayNameCoordinates = (text: string): boolean =>
  COORDINATE.test(text) || /[\s:<](?:lat|long|lat_long)[\s=>]/.test(text);

/** Looks for the syntax of XMP, since in the bytes of a picture the letters alone occur by chance. */
export const hasCoordinateProperty = (bytes: Uint8Array): boolean =>
  /[\s<:][\w.-]*(?:gps|latitude|longi?t?itude|longtitude|altitude)[\w.-]*\s?[=>]/i.test(latin1(bytes));

export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** As EXIF does; for example in claims that a camera signed (C2PA). */
export function namesGpsPosition(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return text.includes('GPSLatitude') || text.includes('GPSLongitude');
}

/** Keys of QuickTime's metadata about a place: its coordinates, its name, and how exact they are. */
export const isLocationKey = (key: string): boolean => /location|gps|latitude|longitude|(?:^|[.:\xa9])xyz$/i.test(key);
