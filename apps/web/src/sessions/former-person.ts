/** Storage key for whether this browser's last session was a person's. Nothing else about the person is stored. */
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

/** Whether the last session in this browser was a person's. A person has no token to sign in with. */
export function wasPerson(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
