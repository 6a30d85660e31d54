import { Refusal } from '../errors.ts';

/** What a resource begins with. Every change raises it. */
export const FIRST_VERSION = 1;

/** A change is made to one of these versions alone; null: to any. */
export type ExpectedVersions = readonly number[] | null;

/** For changes, under the lock on the resource. @throws Refusal `changed` */
export function requireVersion(version: number, expected: ExpectedVersions = null): void {
  if (expected !== null && !expected.includes(version)) throw new Refusal({ code: 'changed', version });
}
