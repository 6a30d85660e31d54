/** Whether the last session of this browser was a person's. Nothing else about them is stored. */
const KEY = 'former-person';

/** Notes who is signed in. */
export function notePerson(isPerson: boolean): void {
  try {
    if (isPerson) localStorage.setItem(KEY, 'true');
    else localStorage.removeItem(KEY);
  } catch {
    // The browser stores nothing: the sign-in page is that of somebody who was never here.
  }
}

/** Whether a person was signed in here, who has no token to sign in with. */
export function wasPerson(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
