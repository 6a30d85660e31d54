import { inTurn, serve, serveSlowly, status } from '@postshelf/harness/answers';
import type { Answer } from '@postshelf/harness/origin';
import type { Content, Contents } from '../support/contents.ts';

/**
 * How the origin of an import answers. `slow`: it sends the file in pieces. `flaky`: it answers with 503 at first.
 * `gone`: it never sends the file.
 */
export type OriginBehaviour = 'plain' | 'slow' | 'flaky' | 'gone';

const PIECES = 5;
/** Milliseconds between two pieces. */
const PAUSE = 120;

/** Answers with the file, whose bytes are made for each request. */
export function answerWith(contents: Contents, content: Content, behaviour: OriginBehaviour): Answer {
  const plain: Answer = (exchange) => serve(contents.bytesOf(content))(exchange);
  if (behaviour === 'gone') return status(404);
  if (behaviour === 'flaky') return inTurn(status(503), plain);
  return behaviour === 'plain' ? plain : (exchange) => serveSlowly(contents.bytesOf(content), PIECES, PAUSE)(exchange);
}
