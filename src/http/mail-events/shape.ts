import type { MailEvent } from '../../waitlist/mail-events/record-mail-events.ts';
import type { SignedRequest } from '../signed-request.ts';

/** How one provider reports. */
export interface Shape {
  /** Returns undefined if the provider does not send such a body. What else it reports is left out. */
  read(body: unknown): MailEvent[] | undefined;
  /** For providers that sign with a secret that they share with us, or whose public key we are given. */
  isGenuine?(request: SignedRequest, secret: string, now: number): boolean;
  /** For a provider whose bodies are wrapped and signed by another service. Returns what is inside, or throws. */
  unwrap?(body: unknown): Promise<unknown>;
}

/** One event, if it names an address. */
export function about(type: MailEvent['type'], email: unknown, permanent?: boolean): MailEvent[] {
  if (typeof email !== 'string') return [];
  return [{ type, email, ...(permanent === undefined ? {} : { permanent }) }];
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
