import type { MediaType } from '@postshelf/domain';
import type { Bytes } from './bytes/bytes.ts';

/** One thing to do to the service, as data: the same thing again whenever it is played, and small enough to keep. */
export type Case = RequestCase | MediaCase | InspectionCase;

/** One request, byte by byte. `{{name}}` in its texts stands for an id of the world it is played in. */
export interface RequestCase {
  readonly kind: 'request';
  /** `GET /posts/{id}`, where the request is for an operation of the document and its answer must fit. */
  readonly operation?: string;
  readonly method: string;
  /** Path and query, percent-encoded or not. */
  readonly target: string;
  /** Lines between the request line and the blank one, without their ends. `Host` and framing aren't added. */
  readonly lines: readonly string[];
  readonly body?: Body;
  /** Sent in place of a token where the target tells `{{bearer}}`. */
  readonly bearer?: ForgedToken;
  /** Asks for what it may not have: an answer that isn't an error lets somebody in. */
  readonly mustFail?: boolean;
  /** The client may be at fault in ways that HTTP itself answers, or has to wait out. */
  readonly isBadHttp?: boolean;
}

export interface Body {
  readonly bytes: Bytes;
  /** `length`: Content-Length as it is. `chunked`: in chunks of so many bytes. A number: so many announced. */
  readonly framing: 'length' | { readonly chunk: number } | { readonly claimed: number };
}

/** A token made with the secret that the service has, or another. */
export interface ForgedToken {
  /** JSON texts. */
  readonly header: string;
  readonly claims: string;
  readonly hash: 'sha256' | 'sha384' | 'sha512' | 'none';
  readonly key: 'own' | 'empty' | 'other';
  /** Put behind the whole; some of it is no part of a token. */
  readonly tail: string;
}

/** One file brought in one of three ways, and looked after until it is active, refused or failed. */
export interface MediaCase {
  readonly kind: 'media';
  readonly way: 'multipart' | 'presigned' | 'url';
  readonly type: MediaType;
  readonly file: Bytes;
}

/** One file looked at by the inspector in this process. */
export interface InspectionCase {
  readonly kind: 'inspection';
  readonly file: Bytes;
  /** What is known to be right; absent where anything may be. */
  readonly expected?: 'taken' | 'refused';
}
