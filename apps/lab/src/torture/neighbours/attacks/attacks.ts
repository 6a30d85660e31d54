import type { Attack } from './attack.ts';
import { heldBodies, heldByRevoked, heldLines, largeBatches, manyNames } from './bodies.ts';
import { emptiedTrash } from './emptied-trash.ts';
import { oldStreams, unreadStreams } from './event-streams.ts';
import { folderMoves } from './folder-moves.ts';
import { fullDisk } from './full-disk.ts';
import { hostileFilms } from './hostile-films.ts';
import { endlessHints, filmsInByteChunks, manyByteChunks, oneByteChunk, slowOrigins } from './hostile-origins.ts';
import { largeImages, manyImages } from './images-by-url.ts';
import { manyKeys, mediaLines } from './import-lines.ts';
import { pictures } from './pictures.ts';
import { resumable } from './resumable.ts';
import { revokedToken } from './revoked-token.ts';
import { searches } from './searches.ts';
import { slots } from './slots.ts';
import { silentConnections, slowUploads } from './slow-clients.ts';
import { webhooks } from './webhooks.ts';
import { wideAnswers } from './wide-answers.ts';
import { parallelWindows, wideWindows } from './windows.ts';
import { unfinishedHeads, unreadBytes, unreadChunks, unreadLines, unreadPieces } from './without-token.ts';

/** All attacks, in the order of the table. */
export const ATTACKS: readonly Attack[] = [
  hostileFilms,
  pictures,
  wideAnswers,
  wideWindows,
  parallelWindows,
  searches,
  folderMoves,
  mediaLines,
  manyKeys,
  fullDisk,
  manyImages,
  largeImages,
  revokedToken,
  slowOrigins,
  oneByteChunk,
  manyByteChunks,
  filmsInByteChunks,
  endlessHints,
  slowUploads,
  silentConnections,
  heldBodies,
  heldLines,
  heldByRevoked,
  largeBatches,
  manyNames,
  unfinishedHeads,
  unreadChunks,
  unreadLines,
  unreadPieces,
  unreadBytes,
  unreadStreams,
  oldStreams,
  webhooks,
  resumable,
  slots,
  emptiedTrash,
];
