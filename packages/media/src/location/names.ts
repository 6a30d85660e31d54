/**
 * The outcome of a search: no coordinates were found, they were removed in place, or the block has to be removed as a
 * whole.
 */
export type Outcome = 'untouched' | 'changed' | 'drop';

/** Matches `exif:GPSLatitude`, `drone-dji:GpsLongtitude` (DJI's spelling), `drone-dji:AbsoluteAltitude`. */
const COORDINATE = /gps|latitude|longi?t?itude|longtitude|altitude/i;

/** Names in the W3C's vocabulary for positions. They must match exactly. */
const SHORT_NAMES = new Set(['lat', 'long', 'lat_long']);

/**
 * Whether a property's local name is the name of a coordinate. Its prefix is ignored, because prefixes can be chosen
 * freely. Names of places (`photoshop:City`) don't count as coordinates, because people add them on purpose, for
 * readers.
 */
export const isCoordinate = (name: string): boolean => COORDINATE.test(name) || SHORT_NAMES.has(name);

/** Whether a text may contain a property for which {@link isCoordinate} is true. */
export const mayNameCoordinates = (text: string): boolean =>
  COORDINATE.test(text) || /[\s:<](?:lat|long|lat_long)[\s=>]/.test(text);

/**
 * Whether bytes contain a coordinate in the syntax of XMP. Outside of that syntax, the name of a coordinate may occur
 * in image data by chance.
 */
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
