import type { Delivery } from './delivery.ts';
import type { Target } from './target.ts';

/** The response is text until the channel seals it. */
export interface Attempt<Response = Uint8Array> {
  ok: boolean;
  status: number | null;
  /** Our own wording. Anything the receiver said is only in `response`, which is sealed. */
  error: string | null;
  /** The beginning of the response, or null if there was none. */
  response: Response | null;
  durationMs: number;
  retryAfterMs: number;
  /** A permanent rejection, so there is no retry. */
  final?: boolean;
  /** Nothing left this process, so the attempt says nothing about the receiver. */
  unsent?: boolean;
  /**
   * Neither the delivery nor its target is at fault: no retry is used up, and the delivery is due again after
   * this delay.
   */
  deferMs?: number;
  /**
   * Earlier deliveries that were given up for a reason that was not theirs, as it turns out. They are due again
   * together with this one.
   */
  reopens?: readonly Pick<Delivery, 'target' | 'eventId' | 'token' | 'tries'>[];
}

export const ERASED: Attempt<never> = {
  ok: false,
  status: null,
  error: 'not sent: its content was erased',
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
  final: true,
  unsent: true,
};

/** The row that a sealed response is bound to. */
export function responseRow(
  { id }: Pick<Target, 'id'>,
  { eventId, attempt }: { eventId: Uint8Array; attempt: number },
): Buffer {
  return Buffer.concat([id, eventId, Buffer.from(String(attempt))]);
}
