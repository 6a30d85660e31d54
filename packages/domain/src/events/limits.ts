/** Streams of events that are open at once: of a process, and of those the most of one token. */
export const MAX_EVENT_STREAMS = { all: 4000, token: 1000 } as const;

/** Events that a process keeps for the streams that haven't told them yet. */
export const REMEMBERED_EVENTS = 1000;
