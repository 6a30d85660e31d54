import { isCoordinate, latin1, mayNameCoordinates, type Outcome } from './names.ts';

export const MAX_XMP_LENGTH = 1024 * 1024;

/** Maximum number of tags and attributes to read of one packet. Reading that many takes about 5 ms. */
const MAX_NAMES = 10_000;

const SPACE = 0x20;

/**
 * Overwrites with spaces every property that is named like a coordinate (XMP, ISO 16684-1). A packet has to be removed
 * if it names coordinates but isn't simple enough to be stripped safely.
 */
export function stripXmp(packet: Uint8Array): Outcome {
  if (packet.length > MAX_XMP_LENGTH) return 'drop';
  // One character per byte is enough, because names are ASCII, and no other text matters here.
  const text = latin1(packet).replace(/\0+$/, '');
  if (text.includes('\0')) return mayNameCoordinates(text.replaceAll('\0', '')) ? 'drop' : 'untouched';
  if (!mayNameCoordinates(text)) return 'untouched';
  const found = coordinatesIn(text);
  if (found === null) return 'drop';
  for (const { start, end } of found) packet.fill(SPACE, start, end);
  return found.length > 0 ? 'changed' : 'untouched';
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const CLOSING = /<\/([^\s<>/]+)\s*>/y;
const OPENING = /<([^\s<>/!?="']+)/y;
const ATTRIBUTE = /\s+([^\s<>/="']+)\s*=\s*(?:"[^"<]*"|'[^'<]*')/y;
const END_OF_TAG = /\s*(\/?)>/y;

/** The start and the end of markup that isn't a tag. */
const ASIDE = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Returns the ranges of all properties that are coordinates; null if the text isn't simple XML. */
function coordinatesIn(text: string): readonly Range[] | null {
  const found: Range[] = [];
  let going: { readonly name: string; readonly start: number; depth: number } | null = null;
  let at = 0;
  const names = { left: MAX_NAMES };
  for (;;) {
    const start = text.indexOf('<', at);
    if (start < 0) return going === null ? found : null;
    names.left -= 1;
    if (names.left < 0) return null;
    const aside = ASIDE.find(([beginning]) => text.startsWith(beginning, start));
    if (aside) {
      const end = text.indexOf(aside[1], start);
      if (end < 0) return null;
      at = end + aside[1].length;
      continue;
    }
    const closed = match(CLOSING, text, start);
    if (closed) {
      at = CLOSING.lastIndex;
      if (going === null || going.name !== closed[1]) continue;
      going.depth -= 1;
      if (going.depth > 0) continue;
      found.push({ start: going.start, end: at });
      going = null;
      continue;
    }
    const tag = readTag(text, start, names);
    if (tag === null) return null;
    at = tag.end;
    if (going) {
      if (tag.name === going.name && !tag.isEmpty) going.depth += 1;
    } else if (!isCoordinate(localName(tag.name))) {
      found.push(...tag.coordinates);
    } else if (tag.isEmpty) {
      found.push({ start, end: tag.end });
    } else {
      going = { name: tag.name, start, depth: 1 };
    }
  }
}

interface Tag {
  readonly name: string;
  readonly end: number;
  readonly isEmpty: boolean;
  readonly coordinates: readonly Range[];
}

function readTag(text: string, start: number, names: { left: number }): Tag | null {
  const name = match(OPENING, text, start)?.[1];
  if (name === undefined) return null;
  const coordinates: Range[] = [];
  let at = OPENING.lastIndex;
  for (let found = match(ATTRIBUTE, text, at); found && names.left >= 0; found = match(ATTRIBUTE, text, at)) {
    names.left -= 1;
    const attribute = found[1] ?? '';
    // The declaration of a namespace prefix must be kept, whatever the prefix is called.
    if (!attribute.startsWith('xmlns') && isCoordinate(localName(attribute))) {
      coordinates.push({ start: at, end: ATTRIBUTE.lastIndex });
    }
    at = ATTRIBUTE.lastIndex;
  }
  const end = match(END_OF_TAG, text, at);
  return end && { name, end: END_OF_TAG.lastIndex, isEmpty: end[1] === '/', coordinates };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);
