import { inTurn, serve, serveSlowly, status } from '@postshelf/harness/answers';
import type { Answer } from '@postshelf/harness/origin';
import type { Content, Contents } from '../support/contents.ts';

/** How the origin of an import answers. `slow`: in pieces; `flaky`: with 503 at first; `gone`: never. */
export type Manner = 'plain' | 'slow' | 'flaky' | 'gone';

const PIECES = 5;
/** Milliseconds between two pieces. */
const PAUSE = 120;

/** An answer with the file, which is made when it is asked for. */
export function answerWith(contents: Contents, content: Content, manner: Manner): Answer {
  const plain: Answer = (exchange) => serve(contents.bytesOf(content))(exchange);
  if (manner === 'gone') return status(404);
  if (manner === 'flaky') return inTurn(status(503), plain);
  return manner === 'plain' ? plain : (exchange) => serveSlowly(contents.bytesOf(content), PIECES, PAUSE)(exchange);
}
