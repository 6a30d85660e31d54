import type { AnnouncedType } from '@postshelf/domain';
import type { Bytes } from './bytes/bytes.ts';

/** One attack, described by data that is small enough to store, and with which the attack can be repeated exactly. */
export type Case = RequestCase | MediaCase | InspectionCase;

/** One request, byte by byte. `{{name}}` in its texts is a placeholder for an id of {@link World}. */
export interface RequestCase {
  readonly kind: 'request';
  /** The documented operation whose responses the answer must match, such as `GET /posts/{id}`. */
  readonly operation?: string;
  readonly method: string;
  /** Path and query. They aren't necessarily percent-encoded. */
  readonly target: string;
  /**
   * The header lines, without line ends. Only `Content-Length` and `Transfer-Encoding` are added automatically, so the
   * lines have to include `Host`.
   */
  readonly lines: readonly string[];
  readonly body?: Body;
  /** The token that replaces `{{bearer}}`. */
  readonly bearer?: ForgedToken;
  /** Whether the service must refuse access: any answer except an error is a break-in. */
  readonly mustFail?: boolean;
  /** Whether the request may be invalid HTTP. The HTTP layer may answer such a request, or let it time out. */
  readonly isBadHttp?: boolean;
}

export interface Body {
  readonly bytes: Bytes;
  /**
   * `length`: the correct Content-Length. `chunk`: chunks of this many bytes. `claimed`: a Content-Length of this many
   * bytes.
   */
  readonly framing: 'length' | { readonly chunk: number } | { readonly claimed: number };
}

/** A token signed with the service's secret, or with another secret. */
export interface ForgedToken {
  /** The header as a JSON text. */
  readonly header: string;
  readonly claims: string;
  readonly hash: 'sha256' | 'sha384' | 'sha512' | 'none';
  readonly key: 'own' | 'empty' | 'other';
  /** The text that is appended to the token; it may contain characters that no token has. */
  readonly tail: string;
}

/** One file. It is stored in one of three ways, and its item is then watched until it is active, refused or failed. */
export interface MediaCase {
  readonly kind: 'media';
  readonly way: 'multipart' | 'presigned' | 'url';
  readonly type: AnnouncedType;
  readonly file: Bytes;
}

/** One file, which is inspected within this process. */
export interface InspectionCase {
  readonly kind: 'inspection';
  readonly file: Bytes;
  /** The correct result, if it is known. */
  readonly expected?: 'taken' | 'refused';
}
