import type { Delivery } from '../../outbox/delivery.ts';

/** This many people in a row: they cannot all be at fault. Together, senders may use up as many again. */
const OF_ONE_SENDER = 5;
const OF_ALL = 10;

export type RefusedDelivery = Pick<Delivery, 'target' | 'eventId' | 'token' | 'tries'>;

interface Refusal {
  sender: string;
  /** Refusals for the same reason are of the same kind. */
  kind: string;
  recipient: string;
  delivery: RefusedDelivery;
}

/** Who is refused: one recipient, all of one sender, or everyone. */
type Verdict =
  | { refused: 'recipient' }
  | { refused: 'sender' | 'everyone' /** Given up for this before. */; earlier: RefusedDelivery[] };

interface Refusals {
  note(refusal: Refusal): Verdict;
  /** The server accepted an email: what it refused before was not about us. */
  forget(sender: string): void;
}

interface Row {
  kind: string;
  byRecipient: Map<string, RefusedDelivery>;
}

/**
 * Counts refusals of one kind for different recipients in a row. A server that refuses everyone refuses us, and
 * its emails must wait instead of failing one by one.
 */
export function trackRefusals(): Refusals {
  const bySender = new Map<string, Row>();
  let ofAll: Row | undefined;
  const addTo = (row: Row | undefined, { kind, recipient, delivery }: Refusal): Row => {
    const same = row?.kind === kind ? row : { kind, byRecipient: new Map() };
    same.byRecipient.set(recipient, delivery);
    return same;
  };
  return {
    note: (refusal) => {
      const own = addTo(bySender.get(refusal.sender), refusal);
      bySender.set(refusal.sender, own);
      ofAll = addTo(ofAll, refusal);
      const row = ofAll.byRecipient.size >= OF_ALL ? ofAll : own;
      if (row === own && own.byRecipient.size < OF_ONE_SENDER) return { refused: 'recipient' };
      bySender.delete(refusal.sender);
      if (row === ofAll) ofAll = undefined;
      const earlier = [...row.byRecipient.values()].filter((delivery) => delivery !== refusal.delivery);
      return { refused: row === own ? 'sender' : 'everyone', earlier };
    },
    forget: (sender) => {
      bySender.delete(sender);
      ofAll = undefined;
    },
  };
}
