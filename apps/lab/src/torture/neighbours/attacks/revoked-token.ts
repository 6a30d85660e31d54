import type { Attack } from './attack.ts';
import { importPath, makeProfile, ndjson } from './requests.ts';

/** The milliseconds between two lines, and the number of lines before the token is revoked. */
const PAUSE = 20;
const LINES_BEFORE = 50;

/**
 * Seconds within which the service must end a token's requests, after the command that revokes the token has started;
 * with a margin for a busy machine.
 */
const MAX_SECONDS = 4;

/** Continues to send a body after its token was revoked. */
export const revokedToken: Attack = {
  name: 'revoked-token',
  about: 'an import of posts with a line every 20 ms, whose token is revoked after the first 50',
  async prepare(target) {
    // Only the second attacker's token is revoked.
    const [, attacker] = target.attackers;
    const profile = await makeProfile(target, attacker);
    const encoder = new TextEncoder();
    return async (signal) => {
      let sent = 0;
      let revoked: number | null = null;
      let isAnswered = false;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await Bun.sleep(PAUSE);
          if (signal.aborted || isAnswered) return controller.close();
          const post = { profile, external_id: String(sent), published_at: '2026-01-01T00:00:00Z' };
          controller.enqueue(encoder.encode(`${JSON.stringify(post)}\n`));
          sent += 1;
          if (sent !== LINES_BEFORE) return;
          // Measured from here, because the service may end the request before the command that revokes has ended.
          revoked = performance.now();
          await target.revoke(attacker);
        },
      });
      const status = await fetch(importPath(target, attacker), ndjson(attacker, body)).then(
        (response) => response.status,
        () => 0,
      );
      isAnswered = true;
      const seconds = revoked === null ? null : (performance.now() - revoked) / 1000;
      const value = `after ${seconds?.toFixed(1)} s, with ${status || 'no answer'}`;
      const isKept = seconds !== null && seconds <= MAX_SECONDS && status !== 200;
      return [{ what: 'the body of a revoked token ended', value, isKept }];
    };
  },
};
