import type { AnnouncedType } from '@postshelf/domain';
import type { Bytes } from './bytes/bytes.ts';

/** One attack as data: it can be repeated exactly, and is small enough to keep. */
export type Case = RequestCase | MediaCase | InspectionCase;

/** One request, byte by byte. `{{name}}` in its texts is a placeholder for an id of {@link World}. */
export interface RequestCase {
  readonly kind: 'request';
  /** The documented operation whose responses the answer must match, such as `GET /posts/{id}`. */
  readonly operation?: string;
  readonly method: string;
  /** Path and query, percent-encoded or not. */
  readonly target: string;
  /** Lines between the request line and the blank one, without their ends. `Host` and framing aren't added. */
  readonly lines: readonly string[];
  readonly body?: Body;
  /** The token that `{{bearer}}` stands for. */
  readonly bearer?: ForgedToken;
  /** Whether access must be refused: any answer except an error is a break-in. */
  readonly mustFail?: boolean;
  /** Whether the request may be invalid HTTP, which the HTTP layer answers or times out. */
  readonly isBadHttp?: boolean;
}

export interface Body {
  readonly bytes: Bytes;
  /** `length`: the correct Content-Length. `chunk`: chunks of this many bytes. `claimed`: this many bytes announced. */
  readonly framing: 'length' | { readonly chunk: number } | { readonly claimed: number };
}

/** A token signed with the service's secret, or with another. */
export interface ForgedToken {
  /** JSON texts. */
  readonly header: string;
  readonly claims: string;
  readonly hash: 'sha256' | 'sha384' | 'sha512' | 'none';
  readonly key: 'own' | 'empty' | 'other';
  /** Appended to the token; may contain characters that no token has. */
  readonly tail: string;
}

/** One file, stored in one of three ways, and followed until it is active, refused or failed. */
export interface MediaCase {
  readonly kind: 'media';
  readonly way: 'multipart' | 'presigned' | 'url';
  readonly type: AnnouncedType;
  readonly file: Bytes;
}

/** One file, inspected within this process. */
export interface InspectionCase {
  readonly kind: 'inspection';
  readonly file: Bytes;
  /** The right result, if it is known. */
  readonly expected?: 'taken' | 'refused';
}
