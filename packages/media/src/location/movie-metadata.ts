import type { Box } from '@postshelf/domain/formats';
import { viewOf } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { boxesIn, dropBox } from './movie-box.ts';
import { isLocationKey, mayNameCoordinates } from './names.ts';
import type { PatchList } from './patch-list.ts';
import { MAX_XMP_LENGTH, stripXmp } from './xmp.ts';

/**
 * Boxes that contain positions: those of QuickTime, phones, 3GPP (TS 26.244, section 8.3) and dashcams, and GoPro's
 * summary.
 */
const PLACES = new Set(['\xa9xyz', '@xyz', 'loci', 'GPS0', 'gps0', 'GPS ', 'GPMF']);

const XMP_UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const UUID_LENGTH = 16;

/** Maximum bytes to read of a list of keys, and of a text in a box. */
const MAX_KEYS_LENGTH = 64 * 1024;
const MAX_LENGTH = 1024 * 1024;

/** Finds coordinates in a metadata box, wherever it is in a movie; ignores all other boxes. */
export async function findInMetadata(cursor: Cursor, box: Box, patches: PatchList): Promise<void> {
  const { type, start, end } = box;
  if (PLACES.has(type)) dropBox(box, patches);
  else if (type === 'XMP_') await stripPacket(cursor, box, start, patches);
  else if (type === 'uuid' && end - start >= UUID_LENGTH) {
    if (XMP_UUID.equals(await cursor.reader.read(start, UUID_LENGTH)))
      await stripPacket(cursor, box, start + UUID_LENGTH, patches);
  } else if (type === 'meta') await findInMeta(cursor, box, patches);
  else if (type === 'udta') {
    for await (const child of boxesIn(cursor, start, end)) {
      if (child.type !== 'udta') await findInMetadata(cursor, child, patches);
    }
  }
}

async function stripPacket(cursor: Cursor, box: Box, start: number, patches: PatchList): Promise<void> {
  const length = box.end - start;
  const before = length > MAX_XMP_LENGTH ? null : await cursor.block(start, length);
  const after = before && new Uint8Array(before);
  const outcome = after ? stripXmp(after) : 'drop';
  if (outcome === 'drop') dropBox(box, patches);
  if (before && after && outcome === 'changed') patches.replace(start, before, after);
}

/**
 * Finds coordinates in items. An item's type is either the index of its key in a list of keys, or a four-character
 * name.
 */
async function findInMeta(cursor: Cursor, box: Box, patches: PatchList): Promise<void> {
  let keys: ReadonlySet<number> = new Set();
  let items: Box | null = null;
  for await (const child of boxesIn(cursor, await contentOfMeta(cursor, box), box.end)) {
    if (child.type === 'keys') keys = await placeKeys(cursor, child);
    else if (child.type === 'ilst') items = child;
    else if (child.type === 'xml ') await stripText(cursor, child, patches);
    else if (child.type === 'uuid') await findInMetadata(cursor, child, patches);
  }
  if (!items) return;
  for await (const item of boxesIn(cursor, items.start, items.end)) {
    if (keys.has(numberOf(item.type)) || PLACES.has(item.type)) dropBox(item, patches);
    else if (item.type === '----' && (await hasPlaceName(cursor, item))) dropBox(item, patches);
  }
}

/** Returns where the child boxes begin: at the start of the box in QuickTime, after a version in ISO files. */
async function contentOfMeta(cursor: Cursor, { start, end }: Box): Promise<number> {
  if (end - start < 8) return end;
  const [first] = [Buffer.from(await cursor.reader.read(start, 8)).toString('latin1', 4)];
  return first === 'hdlr' || first === 'keys' || first === 'ilst' ? start : start + 4;
}

/** Returns the indices, counted from 1, of the keys that name a place. */
async function placeKeys(cursor: Cursor, { start, end }: Box): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const bytes = Buffer.from(await cursor.block(start, Math.min(end - start, MAX_KEYS_LENGTH)));
  let index = 1;
  for (let at = 8; at + 8 <= bytes.length; index += 1) {
    const length = bytes.readUInt32BE(at);
    if (length < 8) break;
    // The name follows its length and its namespace.
    if (isLocationKey(bytes.toString('latin1', at + 8, Math.min(at + length, at + 264)))) found.add(index);
    at += length;
  }
  return found;
}

const numberOf = (type: string): number => viewOf(Buffer.from(type, 'latin1')).getUint32(0);

/** Whether an item's name, which is in a separate box, names a place. */
async function hasPlaceName(cursor: Cursor, item: Box): Promise<boolean> {
  for await (const child of boxesIn(cursor, item.start, item.end)) {
    if (child.type !== 'name') continue;
    const name = await cursor.copy(child.start, Math.min(child.end - child.start, 264));
    if (isLocationKey(Buffer.from(name).toString('latin1'))) return true;
  }
  return false;
}

/** Removes a box of XML, as Sony's cameras write it, if the XML may contain coordinates or is too long to search. */
async function stripText(cursor: Cursor, box: Box, patches: PatchList): Promise<void> {
  const { start, end } = box;
  const text = Buffer.from(await cursor.block(start, Math.min(end - start, MAX_LENGTH))).toString('latin1');
  if (end - start > MAX_LENGTH || mayNameCoordinates(text)) dropBox(box, patches);
}
