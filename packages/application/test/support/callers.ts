import { type AccessToken, accessOfToken, type Scope } from '@postshelf/domain';
import { type Caller, callerOf } from '../../src/index.ts';

/** Returns the caller of an operation who has this token. @param scope the scope that the operation needs, if any */
export const callerByToken = (token: AccessToken, scope: Scope | null = null): Caller =>
  callerOf(accessOfToken(token), scope);
