/**
 * Storage key that is set if this browser's last session belonged to a person, not to a token. Nothing else about the
 * person is stored.
 */
const KEY = 'former-person';

/** Stores whether a person is signed in. */
export function notePerson(isPerson: boolean): void {
  try {
    if (isPerson) localStorage.setItem(KEY, 'true');
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage, the sign-in page is shown as for a new visitor.
  }
}

/** Whether the last session in this browser belonged to a person. People have no token with which to sign in. */
export function wasPerson(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
