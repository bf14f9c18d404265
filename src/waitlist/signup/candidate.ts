import { domainOf } from '../../lib/email.ts';
import { newId } from '../../lib/ids.ts';
import type { NamedCode } from '../codes/named-codes.ts';
import { mailboxHash } from '../people/identity.ts';
import { metadataPairs, type Person } from '../people/person.ts';
import type { FormSignup } from '../queue/events.ts';
import type { Queue } from '../queue/queue.ts';
import { type Reference, referenceTo } from '../referrals/referral-code.ts';
import type { Signup } from './signup-input.ts';

/** A signup, sealed and hashed before the queue is locked. */
export interface Candidate {
  readonly id: Buffer;
  readonly person: Buffer;
  /** Of the email, in its ASCII form. */
  readonly domain: string | null;
  readonly emailHash: Buffer | null;
  readonly phoneHash: Buffer | null;
  /** Of the mailbox, if its own address is not the email. */
  readonly mailboxHash: Buffer | null;
  readonly pairHashes: Buffer[];
  readonly referrer: Reference | null;
  readonly code?: NamedCode;
  /** When the person joined, if not now. */
  readonly joinedAt?: number;
  /** The person's status, if not the initial one. */
  readonly standing?: Standing;
  /** Set if the person came through the public form. */
  readonly form?: FormSignup;
}

export type Standing =
  | { readonly status: 'waiting' | 'declined' }
  | { readonly status: 'joined'; readonly invitedAt: number | null; readonly acceptedAt: number };

export function prepareCandidate(
  queue: Queue,
  signup: Signup,
  now: number,
  more: Pick<Person, 'importedCode'> = {},
): Candidate {
  const { vault } = queue;
  const { email, phone, metadata, referrer, language, byForm } = signup;
  const id = newId(now);
  const person: Person = {
    email: email?.shown ?? null,
    phone,
    metadata,
    ...(language && { language }),
    ...(byForm && { byForm }),
    ...more,
  };
  return {
    id,
    person: vault.seal('entry.person', id, person),
    domain: email && domainOf(email.key),
    emailHash: email && vault.hash('email', email.key),
    phoneHash: phone === null ? null : vault.hash('phone', phone),
    mailboxHash: email && mailboxHash(vault, email.key),
    pairHashes: metadata === null ? [] : metadataPairs(vault, metadata),
    referrer: referrer && referenceTo(queue, referrer),
  };
}
