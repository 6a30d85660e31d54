import { readStored, store } from '../ui/stored.ts';

/**
 * Storage key that is set if this browser's last session belonged to a person, not to a token. Nothing else about the
 * person is stored.
 */
const KEY = 'former-person';

/** Stores whether a person is signed in. */
export const notePerson = (isPerson: boolean): void => store(KEY, isPerson || null);

/** Whether the last session in this browser belonged to a person. People have no token with which to sign in. */
export const wasPerson = (): boolean => readStored(KEY) !== null;
