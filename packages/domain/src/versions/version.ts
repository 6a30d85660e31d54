import { Refusal } from '../errors.ts';

/** A resource's first version. Every change increases it. */
export const FIRST_VERSION = 1;

/** The versions of a resource that a change may replace; null for any version. */
export type ExpectedVersions = readonly number[] | null;

/** Checks the version before a change. The resource must be locked. @throws Refusal `changed` */
export function requireVersion(version: number, expected: ExpectedVersions = null): void {
  if (expected !== null && !expected.includes(version)) throw new Refusal({ code: 'changed', version });
}
