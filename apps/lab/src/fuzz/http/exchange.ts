import { connect } from 'node:net';
import { within } from '@postshelf/harness';
import { type Answer, BadAnswer, readAnswer } from './answer.ts';

/** The outcome of a request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The server closed the connection without a complete answer. */
  | { readonly kind: 'closed' }
  /** Nothing arrived in time. */
  | { readonly kind: 'silent' }
  /** The answer isn't valid HTTP. */
  | { readonly kind: 'garbled'; readonly why: string };

export interface Sending {
  readonly port: number;
  /** Determines whether the answer has a body. */
  readonly method: string;
  readonly bytes: Uint8Array;
  /** Milliseconds without any data after which no answer is expected any more. */
  readonly timeout: number;
  /** Whether to close the sending side once all is sent. */
  readonly ends?: boolean;
}

/** Sends bytes on a new connection, reads the first answer, and closes it. Never throws. */
export async function exchange({ port, method, bytes, timeout, ends = false }: Sending): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const outcome = new Promise<Outcome>((conclude) => {
    const pieces: Buffer[] = [];
    const look = (ended: boolean): void => {
      try {
        const answer = readAnswer(Buffer.concat(pieces), method, ended);
        if (answer) conclude({ kind: 'answered', answer });
        else if (ended) conclude({ kind: 'closed' });
      } catch (error) {
        if (!(error instanceof BadAnswer)) throw error;
        conclude({ kind: 'garbled', why: error.message });
      }
    };
    socket.on('connect', () => {
      socket.write(bytes);
      if (ends) socket.end();
    });
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      look(false);
    });
    // A reset also ends the exchange: an answer that came before it counts.
    socket.on('error', () => look(true));
    socket.on('close', () => look(true));
  });
  const silent = (): Outcome => ({ kind: 'silent' });
  return within('an answer', outcome, timeout)
    .catch(silent)
    .finally(() => socket.destroy());
}
