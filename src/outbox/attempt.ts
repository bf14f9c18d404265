import type { Target } from './target.ts';

/** How an attempt went. A channel has the response as text until it seals it. */
export interface Attempt<Response = Uint8Array> {
  ok: boolean;
  status: number | null;
  /** In our own words. What the other side said is in `response` alone, which is sealed. */
  error: string | null;
  /** The beginning of the other side's response; null when there was none. */
  response: Response | null;
  durationMs: number;
  retryAfterMs: number;
  /** A permanent refusal: there is no retry. */
  final?: boolean;
  /** Nothing left this process, so the attempt says nothing about the other side. */
  unsent?: boolean;
  /** Not the fault of the delivery or its target: it uses up no retry and is due again after this long. */
  deferMs?: number;
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

/** What a sealed response is tied to. */
export function responseRow(
  { id }: Pick<Target, 'id'>,
  { eventId, attempt }: { eventId: Uint8Array; attempt: number },
): Buffer {
  return Buffer.concat([id, eventId, Buffer.from(String(attempt))]);
}
