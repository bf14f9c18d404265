/** Two days of a waitlist. */
export const EXAMPLE_STATISTICS = {
  from: '2026-11-13T23:00:00.000Z',
  to: '2026-11-15T23:00:00.000Z',
  interval: 'day',
  timeZone: 'Europe/Berlin',
  totals: {
    signups: 120,
    referred: 45,
    confirmed: 0,
    invited: 20,
    accepted: 12,
    expired: 0,
    revoked: 1,
    removed: 2,
    declined: 1,
    downloads: 3,
    deletions: 1,
    pending: 0,
    waiting: 940,
    invitedNow: 31,
    joined: 210,
  },
  series: [
    {
      at: '2026-11-13T23:00:00.000Z',
      signups: 80,
      referred: 30,
      confirmed: 0,
      invited: 20,
      accepted: 9,
      removed: 2,
      declined: 1,
    },
    {
      at: '2026-11-14T23:00:00.000Z',
      signups: 40,
      referred: 15,
      confirmed: 0,
      invited: 0,
      accepted: 3,
      removed: 0,
      declined: 0,
    },
  ],
  referrals: {
    share: 0.375,
    viralCoefficient: 0.6,
    depth: [
      { depth: 0, signups: 75 },
      { depth: 1, signups: 38 },
      { depth: 2, signups: 7 },
    ],
  },
  invites: {
    sent: 20,
    accepted: 12,
    open: 31,
    expired: 0,
    revoked: 1,
    acceptRate: 0.6,
    timeToAccept: { medianMs: 5_400_000, p90Ms: 61_200_000 },
  },
  topReferrers: [
    {
      entry: {
        id: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
        email: 'ada@example.com',
        phone: null,
        referrals: 17,
      },
    },
  ],
  metadata: [
    {
      key: 'source',
      values: [
        { value: 'newsletter', signups: 64 },
        { value: 'podcast', signups: 31 },
      ],
      other: 5,
    },
  ],
  webhooks: {
    delivered: 118,
    failed: 0,
    retried: 3,
    series: [
      { at: '2026-11-13T23:00:00.000Z', delivered: 79, failed: 0, retried: 3 },
      { at: '2026-11-14T23:00:00.000Z', delivered: 39, failed: 0, retried: 0 },
    ],
  },
  emails: {
    sent: 140,
    failed: 1,
    kept: 0,
    series: [
      { at: '2026-11-13T23:00:00.000Z', sent: 99, failed: 1, kept: 0 },
      { at: '2026-11-14T23:00:00.000Z', sent: 41, failed: 0, kept: 0 },
    ],
  },
};
