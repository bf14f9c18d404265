import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { formatId, parseId } from '../../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../../lib/time.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { openEntries } from '../../../waitlist/entries/entry.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import { findBySeqs } from '../../../waitlist/queue/entry-rows.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { SHARED_MAILBOXES } from '../../../waitlist/referrals/mailboxes.ts';
import {
  decideReview,
  listReviews,
  REVIEW_DECISIONS,
  type Review,
} from '../../../waitlist/referrals/reviews.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../../wire/entry.ts';
import { type Mask, maskFor } from '../../../wire/mask.ts';
import { idPattern, named, oneOf, time, timeOrNull, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

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

const listSchema = adminSchema({
  operationId: 'listReferralReviews',
  tag,
  summary: 'List referrals to review',
  description:
    'Returns referrals through the form that look like abuse. They are credited when the email is confirmed, unless they share a mailbox or an operator rejects them.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Type.Object(
    {
      ...environmentQuery,
      ...pageQuery,
      state: Type.Optional(
        oneOf(['open', 'decided'] as const, { description: 'Only these. Default: all.', examples: ['open'] }),
      ),
    },
    closed,
  ),
  answer: {
    description: 'The referrals.',
    schema: ReviewPage,
    example: { reviews: [EXAMPLE_REVIEW], nextCursor: null },
  },
  errors: ['not_found'],
  special: { not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' } },
});

const decideSchema = adminSchema({
  operationId: 'decideReferralReview',
  tag,
  summary: 'Decide about a referral',
  description:
    '`credit` gives the credit now, `reject` refuses it for good and takes it back if it was given.',
  role: 'support',
  params: Type.Object({
    ...waitlistParams,
    reviewId: Type.String({ ...WORD, description: 'Id of the review.', examples: [EXAMPLE_ID] }),
  }),
  querystring: Type.Object(environmentQuery, closed),
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
  errors: ['not_found', 'conflict'],
  special: {
    not_found: { when: 'The referral does not exist.', message: `there is no review ${EXAMPLE_ID}` },
    conflict: {
      when: 'An operator has already decided.',
      message: 'this referral has already been reviewed',
    },
  },
});

export function registerReferralReviews(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  app.get('/waitlists/:waitlistId/referral-reviews', { schema: listSchema }, async (request) => {
    const { query, caller } = request;
    const queue = await queueToRead(parts, request);
    const page = await listReviews(waitlists, queue, {
      state: query.state,
      limit: query.limit ?? PAGE_LIMIT_DEFAULT,
      after: query.cursor === undefined ? undefined : readCursor(query.cursor),
    });
    const mask = maskFor(caller.actor.role);
    return {
      reviews: await presentReviews(waitlists, queue, page.reviews, mask),
      nextCursor: page.next && formatId('rev', page.next),
    };
  });

  app.post('/waitlists/:waitlistId/referral-reviews/:reviewId', { schema: decideSchema }, async (request) => {
    const { params, query, body, caller } = request;
    const queue = await requireQueue(parts, params, query);
    const review = await decideReview(domainFor(parts, request), queue, params.reviewId, body.decision);
    const mask = maskFor(caller.actor.role);
    const [presented] = await presentReviews(waitlists, queue, [review], mask);
    return presented as NonNullable<typeof presented>;
  });
}

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
