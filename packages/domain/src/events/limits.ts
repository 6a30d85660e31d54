import { EVENT_LIFE } from './event.ts';

/** Streams of events that are open at once: of a process, and of those the most of one token. */
export const MAX_EVENT_STREAMS = { all: 4000, token: 1000 } as const;

/**
 * Milliseconds for which changes of a workspace leave events after a stream of it was open, so that a client may go on
 * behind its last event for as long as that is kept; within half an hour it is written once.
 */
export const LISTENED = { for: EVENT_LIFE + 60 * 60 * 1000, granularity: 30 * 60 * 1000 } as const;

/** Events that a process keeps for the streams that haven't told them yet. */
export const REMEMBERED_EVENTS = 1000;
