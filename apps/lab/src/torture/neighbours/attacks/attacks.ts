import type { Attack } from './attack.ts';
import { heldBodies, heldByRevoked, heldLines, largeBatches, manyNames } from './bodies.ts';
import { costlyPreviews } from './costly-previews.ts';
import { emptiedTrash } from './emptied-trash.ts';
import { oldStreams, unreadStreams } from './event-streams.ts';
import { folderMoves } from './folder-moves.ts';
import { fullDisk } from './full-disk.ts';
import { endlessHints, manyByteChunks, oneByteChunk, slowOrigins, videosInByteChunks } from './hostile-origins.ts';
import { hostileVideos } from './hostile-videos.ts';
import { largeImages, manyImages } from './images-by-url.ts';
import { manyKeys, mediaLines } from './import-lines.ts';
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
  hostileVideos,
  costlyPreviews,
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
  videosInByteChunks,
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
