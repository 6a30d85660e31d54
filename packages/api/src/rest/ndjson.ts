/** Media types of one JSON value a line; none of them is registered. */
export const NDJSON = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;
