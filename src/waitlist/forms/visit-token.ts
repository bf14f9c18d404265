import { ifReadable } from '../../vault/crypto.ts';
import { type Queue, TAG_CHARACTERS } from '../queue/queue.ts';

/** What somebody who used the form may see: whoever typed the address, not necessarily its owner. */
export interface Visit {
  /** The entry with the typed address. */
  seq: number;
  /**
   * The joining sequence whose position is shown. For an address that was already known it is the end of the line, as
   * for a new one: the form does not tell who is on the list.
   */
  place: number;
  known: boolean;
  /** In the code of the link to share. */
  link: Buffer;
}

const ROW = Buffer.from('form');

/** Sealed, because an entry's id shows when it was created. */
export function sealVisit({ tag, vault }: Queue, { seq, place, known, link }: Visit): string {
  const padded = [seq, place].map((value) => String(value).padStart(15, '0'));
  return (
    tag + vault.seal('visit', ROW, [...padded, known ? 1 : 0, link.toString('hex')]).toString('base64url')
  );
}

export function openVisit({ vault }: Queue, token: string): Visit | undefined {
  const sealed = Buffer.from(token.slice(TAG_CHARACTERS), 'base64url');
  const opened = ifReadable(() => vault.open<[string, string, number, string]>('visit', ROW, sealed));
  if (!opened) return undefined;
  const [seq, place, known, text] = opened;
  const link = Buffer.from(text, 'hex');
  return { seq: Number(seq), place: Number(place), known: known === 1, link };
}
