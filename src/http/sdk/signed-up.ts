import Type, { type Static } from 'typebox';
import { notFound } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { shareUrls } from '../../mail/share-url.ts';
import { entriesBySeq } from '../../waitlist/entries/entries.ts';
import { statusLink } from '../../waitlist/links/links.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { EntrySchema, EXAMPLE_ENTRY, presentEntry } from '../../wire/entry.ts';
import { named, nullable } from '../../wire/schema.ts';

export const SignedUpSchema = Type.Object(
  {
    ...EntrySchema.properties,
    shareUrl: nullable<string>('string', {
      description:
        "Link for the person to share: the waitlist's referral URL, or its hosted page. `null` if it has neither.",
    }),
    statusUrl: nullable<string>('string', {
      description:
        "The person's status page: position, share link, leaving the list. Show it only to them. `null` if they were removed.",
    }),
  },
  { ...named('SignedUpEntry'), description: 'An entry right after a signup, with its links.' },
);

type SignedUp = Static<typeof SignedUpSchema>;

export const EXAMPLE_SIGNED_UP: SignedUp = {
  ...EXAMPLE_ENTRY,
  referrals: 0,
  shareUrl: 'https://acme.example/?ref=k3v9x0ab',
  statusUrl:
    'https://waitlist.example.com/s/q7k2ent_06gxx2p9r1yn1vp1ryss481fhw0mi1a2b3c3q2-7w8Kd0e1f2g3h4i5j6k7',
};

/** The entries of a request in the order sent, as they are right after its commit. */
export async function representEntries(
  context: Context,
  queue: Queue,
  seqs: readonly number[],
  publicUrl: string,
): Promise<SignedUp[]> {
  const [found, shareUrl] = await Promise.all([
    entriesBySeq(context, queue, seqs),
    shareUrls(context, queue, publicUrl),
  ]);
  return seqs.map((seq) => {
    const entry = found.get(seq);
    if (!entry) throw notFound('there is no such waitlist'); // Deleted in the meantime.
    const { id, referralCode, createdAt } = entry;
    if (referralCode === null) return { ...presentEntry(entry), shareUrl: null, statusUrl: null };
    // Signed with a time that never changes, so that a person always has the same link.
    const subject = { id: formatId('ent', id), at: createdAt };
    return {
      ...presentEntry(entry),
      shareUrl: shareUrl(referralCode),
      statusUrl: statusLink(queue, publicUrl, subject),
    };
  });
}

const PREFERENCE =
  /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?\s*(?:;.*)?$/i;
export const HEADER_CHARACTERS_MAX = 1_000;
/** Commas inside quotes do not separate. */
const LIST_PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*"|")+/g;

/**
 * Whether the `Prefer` header asks for `return=representation` (RFC 7240). The first instance of a preference
 * counts; what is unknown or malformed is ignored.
 */
export function prefersRepresentation(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = Array.isArray(header) ? header.join(',') : header;
  if (text.length > HEADER_CHARACTERS_MAX) return false;
  for (const part of text.match(LIST_PARTS) ?? []) {
    const [, name, quoted, token] = PREFERENCE.exec(part) ?? [];
    if (name?.toLowerCase() === 'return') return (quoted ?? token)?.toLowerCase() === 'representation';
  }
  return false;
}
