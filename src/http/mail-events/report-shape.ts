import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts';
import type { MailEvent } from '../../waitlist/mail-events/record-mail-events.ts';
import type { SignedRequest } from '../signed-request.ts';

/** How one provider reports. */
export interface Shape {
  /** Returns undefined if the provider does not send such a body. What else it reports is left out. */
  read(body: unknown): MailEvent[] | undefined;
  /**
   * For providers that sign with a secret that they share with us, or whose public key we are given. Returns what names
   * the report, so that it counts once, or undefined if it is not genuine.
   */
  verify?(request: SignedRequest, secret: string, now: number): string | undefined;
  /** For a provider whose bodies are wrapped and signed by another service. Throws if that is not genuine. */
  open?(body: unknown, expected: Expected): Promise<Opened>;
}

export interface Expected {
  /** The only one whose messages count. null if none was confirmed yet. */
  topic: string | null;
  /** Whether any message tells the topic, for keys that had a subscription before topics were kept. */
  learns: boolean;
  now: number;
}

export interface Opened {
  /** What was published, or null if the message is about the subscription itself. */
  content: unknown;
  /** Of the message: the same when it is sent again. */
  name: string;
  /** Where it came from, if that is known for sure. */
  topic?: string;
}

/** Longer than a provider takes to deliver, and short enough that an old report is no use to who finds it. */
const OLDEST_MS = HOUR_MS;
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;

export function isRecent(at: number, now: number, oldest: number = OLDEST_MS): boolean {
  return now - at <= oldest && at - now <= CLOCKS_DIFFER_MS;
}

/** One event, if it names an address. */
export function about(type: MailEvent['type'], email: unknown, permanent?: boolean): MailEvent[] {
  if (typeof email !== 'string') return [];
  return [{ type, email, ...(permanent === undefined ? {} : { permanent }) }];
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
