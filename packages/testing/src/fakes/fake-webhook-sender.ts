import type { Attempt, SendRequest, WebhookSender } from '@postshelf/domain';

export interface FakeWebhookSender extends WebhookSender {
  /**
   * Sets the results of successive attempts to a URL; the last one is repeated. By default each attempt is delivered.
   */
  answer(url: string, ...attempts: readonly (Attempt | 'silent')[]): void;
  /** The requests that were sent, in their order. */
  readonly sent: readonly Omit<SendRequest, 'signal'>[];
}

/**
 * Creates a sender without a network. A `silent` attempt ends only with the caller's signal. URLs that contain
 * `refused` are refused.
 */
export function fakeWebhookSender(): FakeWebhookSender {
  const scripts = new Map<string, readonly (Attempt | 'silent')[]>();
  const sent: Omit<SendRequest, 'signal'>[] = [];
  return {
    sent,
    answer: (url, ...attempts) => void scripts.set(url, attempts),
    async send({ signal, ...request }) {
      signal.throwIfAborted();
      sent.push(request);
      const [first, ...rest] = scripts.get(request.url) ?? [];
      if (rest.length > 0) scripts.set(request.url, rest);
      if (first !== 'silent') return first ?? { ok: true, status: 200 };
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    },
    refuse: (url) => (url.includes('refused') ? 'The host is not publicly reachable.' : null),
  };
}
