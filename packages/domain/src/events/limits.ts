import { EVENT_LIFE } from './event.ts';

/** Maximum number of open event streams: in a process, and for one token. */
export const MAX_EVENT_STREAMS = { all: 4000, token: 1000 } as const;

/**
 * How long a workspace's changes are still recorded as events after its last stream has closed, in milliseconds. The
 * time exceeds {@link EVENT_LIFE}, so a client can resume after its last event for as long as that event is kept. The
 * stored end of the recording is updated at most once per half hour.
 */
export const LISTENED = { for: EVENT_LIFE + 60 * 60 * 1000, granularity: 30 * 60 * 1000 } as const;

/** Number of events that a process keeps for streams that haven't sent them yet. */
export const REMEMBERED_EVENTS = 1000;

/** Milliseconds between two heartbeats of a stream, and between two checks that its caller may still read it. */
export const STREAM_HEARTBEAT = 15_000;
