/**
 * What happened to a block of metadata in memory: it says nothing of a place, it was changed in place, or it can't be
 * changed in place, and all of it has to go.
 */
export type Outcome = 'untouched' | 'changed' | 'drop';

/** Names of coordinates: `exif:GPSLatitude`, `drone-dji:GpsLongtitude` (as DJI spells it), `drone-dji:AbsoluteAltitude`. */
const COORDINATE = /gps|latitude|longi?t?itude|longtitude|altitude/i;

/** Of W3C's vocabulary for positions, as whole names. */
const SHORT_NAMES = new Set(['lat', 'long', 'lat_long']);

/**
 * Whether a property is a coordinate by its name, whatever its prefix: prefixes are free to choose. Names of places
 * (`photoshop:City`) are none: people write them for readers.
 */
export const isCoordinate = (name: string): boolean => COORDINATE.test(name) || SHORT_NAMES.has(name);

/** Whether a text may have a property that {@link isCoordinate}. */
export const mayNameCoordinates = (text: string): boolean =>
  COORDINATE.test(text) || /[\s:<](?:lat|long|lat_long)[\s=>]/.test(text);

/** Whether a piece of XMP has a property that {@link isCoordinate}; in pictures as text the letters alone come by chance. */
export const hasCoordinateProperty = (bytes: Uint8Array): boolean =>
  /[\s<:][\w.-]*(?:gps|latitude|longi?t?itude|longtitude|altitude)[\w.-]*\s?[=>]/i.test(latin1(bytes));

/** Bytes as text with a character for each. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Whether bytes that nobody here can read name coordinates as EXIF does: claims that a camera signed (C2PA), say. */
export function namesGpsPosition(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return text.includes('GPSLatitude') || text.includes('GPSLongitude');
}

/** Keys of QuickTime's metadata that tell of a place, as its coordinates, its name, and how exact they are. */
export const isPlaceKey = (key: string): boolean => /location|gps|latitude|longitude|(?:^|[.:\xa9])xyz$/i.test(key);
