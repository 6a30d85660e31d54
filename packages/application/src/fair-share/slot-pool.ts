import { endedEarly, type KindLimits, Refusal, type Uuid } from '@postshelf/domain';

export type ReleaseSlot = () => void;

/** Starts a timer, and returns a function that cancels it. */
export type StartTimer = (milliseconds: number, callback: () => void) => () => void;

interface Waiter {
  admit(): void;
  refuse(): void;
}

/**
 * The slots of one kind of work. Within a workspace they are granted in the order of requests; waiting workspaces take
 * turns.
 *
 * **A workspace's limit shrinks with the free slots**: with a share of half, ten slots are split 5, 3, 1 and 1, so that
 * a newcomer still finds one (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
 *
 * **When the queue is full, the last caller of the workspace with the most waiting callers is refused** in favour of a
 * newcomer from a workspace with fewer (McKenney, "Stochastic Fairness Queueing", 1990).
 */
export class SlotPool {
  readonly #held = new Map<Uuid, number>();
  /** The queues in the order of their turns: the workspace that is next comes first. */
  readonly #queues = new Map<Uuid, Set<Waiter>>();
  #inUse = 0;
  #taken = 0;
  #waiting = 0;
  #refused = 0;

  constructor(
    private readonly limits: KindLimits,
    private readonly startTimer: StartTimer,
  ) {}

  /**
   * The current numbers of slots in use and of waiting callers, and the number of callers refused since the start,
   * without those that disconnected.
   */
  get figures(): { readonly inUse: number; readonly waiting: number; readonly refused: number } {
    return { inUse: this.#inUse, waiting: this.#waiting, refused: this.#refused };
  }

  /** Number of slots taken since the start; it shows whether work started between two readings. */
  get taken(): number {
    return this.#taken;
  }

  /** Returns the workspaces at their limit; null if no slot is free at all. */
  workspacesAtLimit(): readonly Uuid[] | null {
    if (this.#inUse >= this.limits.slots) return null;
    return [...this.#held.keys()].filter((workspaceId) => !this.#isFreeFor(workspaceId));
  }

  tryTake(workspaceId: Uuid): ReleaseSlot | null {
    return this.#isFreeFor(workspaceId) ? this.#grant(workspaceId) : null;
  }

  /**
   * Takes a slot, or waits for one.
   *
   * @throws Refusal `busy` if the queue is full or waiting takes too long; {@link endedEarly} if the signal is aborted
   */
  async take(workspaceId: Uuid, signal: AbortSignal): Promise<ReleaseSlot> {
    if (signal.aborted) throw endedEarly(signal);
    return this.tryTake(workspaceId) ?? this.#wait(workspaceId, signal);
  }

  #isFreeFor(workspaceId: Uuid): boolean {
    const { slots, perWorkspace } = this.limits;
    const held = this.#held.get(workspaceId) ?? 0;
    const free = slots - this.#inUse;
    // If no other workspace holds slots, the last two conditions are equivalent.
    return free > 0 && held < perWorkspace && held * (slots - perWorkspace) < perWorkspace * free;
  }

  #grant(workspaceId: Uuid): ReleaseSlot {
    this.#inUse += 1;
    this.#taken += 1;
    this.#held.set(workspaceId, (this.#held.get(workspaceId) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#takeBack(workspaceId);
    };
  }

  #takeBack(workspaceId: Uuid): void {
    this.#inUse -= 1;
    const left = (this.#held.get(workspaceId) ?? 0) - 1;
    if (left > 0) this.#held.set(workspaceId, left);
    else this.#held.delete(workspaceId);
    for (let next = this.#nextInTurn(); next; next = this.#nextInTurn()) next.admit();
  }

  /** Returns the next caller to admit; null if no slot is free for any waiting caller. */
  #nextInTurn(): Waiter | null {
    for (const [workspaceId, queue] of this.#queues) {
      const [first] = queue;
      if (first && this.#isFreeFor(workspaceId)) return first;
    }
    return null;
  }

  #wait(workspaceId: Uuid, signal: AbortSignal): Promise<ReleaseSlot> {
    if (!this.#makeRoom(workspaceId)) {
      this.#refused += 1;
      throw this.#busy();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(workspaceId, waiter);
        stopTimer();
        signal.removeEventListener('abort', goAway);
      };
      const goAway = (): void => {
        leave();
        reject(endedEarly(signal));
      };
      const waiter: Waiter = {
        admit: () => {
          leave();
          this.#passTurn(workspaceId);
          resolve(this.#grant(workspaceId));
        },
        refuse: () => {
          this.#refused += 1;
          leave();
          reject(this.#busy());
        },
      };
      const { waitTimeout } = this.limits;
      const stopTimer =
        waitTimeout === Number.POSITIVE_INFINITY ? () => undefined : this.startTimer(waitTimeout, waiter.refuse);
      signal.addEventListener('abort', goAway);
      this.#add(workspaceId, waiter);
    });
  }

  /**
   * Whether one more caller of the workspace may wait. If the pool's queue is full, makes room by refusing the last
   * caller of the workspace with the most waiting callers.
   */
  #makeRoom(workspaceId: Uuid): boolean {
    const own = this.#queues.get(workspaceId)?.size ?? 0;
    if (own >= this.limits.queuePerWorkspace) return false;
    if (this.#waiting < this.limits.queue) return true;
    let longest = new Set<Waiter>();
    for (const queue of this.#queues.values()) if (queue.size > longest.size) longest = queue;
    if (longest.size <= own + 1) return false;
    [...longest].at(-1)?.refuse();
    return true;
  }

  #add(workspaceId: Uuid, waiter: Waiter): void {
    const queue = this.#queues.get(workspaceId) ?? new Set();
    this.#queues.set(workspaceId, queue.add(waiter));
    this.#waiting += 1;
  }

  #remove(workspaceId: Uuid, waiter: Waiter): void {
    const queue = this.#queues.get(workspaceId);
    if (!queue?.delete(waiter)) return;
    this.#waiting -= 1;
    if (queue.size === 0) this.#queues.delete(workspaceId);
  }

  /** Moves a workspace behind all other waiting workspaces. */
  #passTurn(workspaceId: Uuid): void {
    const queue = this.#queues.get(workspaceId);
    if (!queue) return;
    this.#queues.delete(workspaceId);
    this.#queues.set(workspaceId, queue);
  }

  #busy(): Refusal {
    const { message, retryAfter } = this.limits;
    return new Refusal({ code: 'busy', message, retryAfter });
  }
}
