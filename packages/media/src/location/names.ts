/**
 * What happened to a block of metadata in memory: it says nothing of a place, it was changed in place, or it can't be
 * changed in place, and all of it has to go.
 */
export type Outcome = 'untouched' | 'changed' | 'drop';

/** Names of coordinates: `exif:GPSLatitude`, `drone-dji:GpsLongtitude` (as DJI spells it), `drone-dji:AbsoluteAltitude`. */
const COORDINATE = /gps|latitude|longi?t?itude|longtitude|altitude/i;

/** Names of the W3C's vocabulary for positions, which are compared as a whole. */
const SHORT_NAMES = new Set(['lat', 'long', 'lat_long']);

/**
 * Whether a property is a coordinate by its name. Its prefix doesn't matter, as prefixes are free to choose. Names of
 * places (`photoshop:City`) are no coordinates: people write them for readers.
 */
export const isCoordinate = (name: string): boolean => COORDINATE.test(name) || SHORT_NAMES.has(name);

/** Whether a text may have a property that {@link isCoordinate}. */
export const mayNameCoordinates = (text: string): boolean =>
  COORDINATE.test(text) || /[\s:<](?:lat|long|lat_long)[\s=>]/.test(text);

/**
 * Whether a piece of XMP has a property that {@link isCoordinate}. Searched as XMP, since in pictures taken as text the
 * letters alone occur by chance.
 */
export const hasCoordinateProperty = (bytes: Uint8Array): boolean =>
  /[\s<:][\w.-]*(?:gps|latitude|longi?t?itude|longtitude|altitude)[\w.-]*\s?[=>]/i.test(latin1(bytes));

/** Bytes as text with a character for each. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/**
 * Whether bytes whose format isn't known here name coordinates as EXIF does: claims that a camera signed (C2PA), for
 * example.
 */
export function namesGpsPosition(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return text.includes('GPSLatitude') || text.includes('GPSLongitude');
}

/** Keys of QuickTime's metadata that tell of a place, as its coordinates, its name, and how exact they are. */
export const isPlaceKey = (key: string): boolean => /location|gps|latitude|longitude|(?:^|[.:\xa9])xyz$/i.test(key);
