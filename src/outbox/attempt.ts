import type { Target } from './target.ts';

/** How an attempt went. A channel has the response as text until it seals it. */
export interface Attempt<Response = Uint8Array> {
  ok: boolean;
  status: number | null;
  /** In our own words: what the other side said stands in `response` alone. */
  error: string | null;
  /** The beginning of the answer; null when there was none. */
  response: Response | null;
  durationMs: number;
  retryAfterMs: number;
  /** The other side said no for good: there is no next try. */
  final?: boolean;
  /** Nothing left this process: it says nothing about the other side. */
  unsent?: boolean;
  /** Neither the delivery's fault nor its target's: it uses up no try, and is due again after so long. */
  deferMs?: number;
}

export const ERASED: Attempt<never> = {
  ok: false,
  status: null,
  error: 'not sent: what it told was erased',
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
  final: true,
  unsent: true,
};

/** What a sealed response is tied to. */
export function responseRow(
  { id }: Pick<Target, 'id'>,
  { eventId, attempt }: { eventId: Uint8Array; attempt: number },
): Buffer {
  return Buffer.concat([id, eventId, Buffer.from(String(attempt))]);
}
