import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import { openEntries } from '../../waitlist/entries/entry.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { findBySeqs } from '../../waitlist/queue/entry-rows.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { SHARED_MAILBOXES } from '../../waitlist/referrals/mailboxes.ts';
import {
  decideReview,
  listReviews,
  REVIEW_DECISIONS,
  type Review,
} from '../../waitlist/referrals/reviews.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import type { Mask } from '../../wire/mask.ts';
import { idPattern, named, oneOf, time, timeOrNull, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageQuery } from '../core/pages.ts';
import { closed } from '../core/schemas.ts';

const tag = 'Form';
const EXAMPLE_ID = 'rev_06gxx2p9r1yn1vp1ryss481fhw';

const ReviewSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('rev'), description: 'Unique id of the review.' }),
    entry: AdminEntrySchema,
    referrer: Type.Unsafe<typeof EXAMPLE_ADMIN_ENTRY | null>({
      anyOf: [AdminEntrySchema, { type: 'null' }],
      description: 'Who would be credited. `null` if they left the waitlist.',
    }),
    credited: Type.Boolean({ description: 'Whether the referrer has the credit now.' }),
    sharedMailbox: Type.Unsafe<Review['sharedMailbox']>({
      type: ['string', 'null'],
      enum: [...SHARED_MAILBOXES, null],
      description:
        'Whose mailbox the email of the entry goes to: that of the `referrer`, or one that was already `credited` for. Only an operator can credit it then. ' +
        '`null` if neither.',
    }),
    decision: Type.Unsafe<Review['decision']>({
      type: ['string', 'null'],
      enum: [...REVIEW_DECISIONS, null],
      description: 'What an operator decided. `null` while it is open.',
    }),
    createdAt: time('When the entry joined.'),
    decidedAt: timeOrNull('When an operator decided.'),
  },
  {
    ...named('ReferralReview'),
    description:
      'A referral from a network that named the same referrer unusually often, or of somebody who shares a mailbox.',
  },
);

const EXAMPLE_REVIEW = {
  id: EXAMPLE_ID,
  entry: { ...EXAMPLE_ADMIN_ENTRY, status: 'pending', position: null, referredBy: null },
  referrer: EXAMPLE_ADMIN_ENTRY,
  credited: false,
  sharedMailbox: null,
  decision: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  decidedAt: null,
};

const ReviewPage = Type.Object(
  {
    reviews: Type.Array(ReviewSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('ReferralReviewPage'), description: 'One page of referrals to review.' },
);

export const referralReviews = [
  operation({
    id: 'listReferralReviews',
    at: 'GET /waitlists/:waitlistId/referral-reviews',
    tag,
    summary: 'List referrals to review',
    description:
      'Returns referrals through the form that look like abuse. They are credited when the email is confirmed, unless they share a mailbox or an operator rejects them.',
    role: 'viewer',
    scope: 'queue',
    query: {
      ...pageQuery,
      state: Type.Optional(
        oneOf(['open', 'decided'] as const, { description: 'Only these. Default: all.', examples: ['open'] }),
      ),
    },
    answer: {
      description: 'The referrals.',
      schema: ReviewPage,
      example: { reviews: [EXAMPLE_REVIEW], nextCursor: null },
    },
    shows: 'people',
    run: async ({ context, queue, query, mask }) => {
      const { state, limit = PAGE_LIMIT_DEFAULT, cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const page = await listReviews(context, queue, { state, limit, after });
      return {
        reviews: await presentReviews(context, queue, page.reviews, mask),
        nextCursor: page.next && formatId('rev', page.next),
      };
    },
  }),
  operation({
    id: 'decideReferralReview',
    at: 'POST /waitlists/:waitlistId/referral-reviews/:reviewId',
    tag,
    summary: 'Decide about a referral',
    description:
      '`credit` gives the credit now, `reject` refuses it for good and takes it back if it was given.',
    role: 'support',
    scope: 'queue',
    params: {
      reviewId: Type.String({ ...WORD, description: 'Id of the review.', examples: [EXAMPLE_ID] }),
    },
    body: Type.Object(
      { decision: oneOf(REVIEW_DECISIONS, { description: 'What to do.' }) },
      {
        ...named('ReferralDecision'),
        ...closed,
        description: 'A decision.',
        ...withExamples({ reject: { summary: 'Refuse the credit', value: { decision: 'reject' } } }),
      },
    ),
    answer: {
      description: 'The referral as it is now.',
      schema: ReviewSchema,
      example: { ...EXAMPLE_REVIEW, decision: 'reject', decidedAt: '2026-11-15T10:00:00.000Z' },
    },
    errors: {
      conflict: {
        when: 'An operator has already decided.',
        message: 'this referral has already been reviewed',
      },
    },
    run: async ({ context, queue, params, body, mask }) => {
      const review = await decideReview(context, queue, params.reviewId, body.decision);
      const [presented] = await presentReviews(context, queue, [review], mask);
      return presented as NonNullable<typeof presented>;
    },
  }),
];

function readCursor(text: string): Buffer {
  const id = parseId('rev', text);
  if (!id) throw invalid('cursor: is invalid');
  return id;
}

async function presentReviews(context: Context, queue: Queue, reviews: readonly Review[], mask: Mask) {
  const seqs = [...new Set(reviews.flatMap(({ seq, referrerSeq }) => [seq, referrerSeq]))];
  const rows = seqs.length === 0 ? [] : await context.db.run(findBySeqs, { queueId: queue.id, seqs });
  const entries = new Map(openEntries(context, queue, rows).map((entry) => [entry.seq, entry]));
  const present = (seq: number) => {
    const entry = entries.get(seq);
    return entry && entry.status !== 'removed' ? mask.entry(presentAdminEntry(entry)) : null;
  };
  return reviews.flatMap(({ id, seq, referrerSeq, credited, sharedMailbox, decision, ...times }) => {
    const entry = present(seq);
    if (!entry) return [];
    return {
      id: formatId('rev', id),
      entry,
      referrer: present(referrerSeq) as typeof EXAMPLE_ADMIN_ENTRY | null,
      credited,
      sharedMailbox,
      decision,
      createdAt: isoTime(times.createdAt),
      decidedAt: isoTimeOrNull(times.decidedAt),
    };
  });
}
