/** A page of the documentation, from a file of the repository. */
export interface Source {
  /** Its name under `/docs/`. */
  slug: string;
  file: string;
  /** What it is about, in a few words. The README lists pages of `docs/` with the same ones. */
  about: string;
  /** Only these sections of the file. With its own title, because that of the file is about more. */
  part?: { title: string; sections: readonly string[] };
}

interface Group {
  title: string;
  pages: readonly Source[];
  /** For people who change Doorlist. Others can do without. */
  isOptional?: true;
}

/** In the order of the navigation. A new page needs one line here, and one in the README. */
export const CONTENTS: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      {
        slug: 'quick-start',
        file: 'README.md',
        about: 'from nothing to the first accepted invite.',
        part: {
          title: 'Quick start',
          sections: ['Start', 'Add someone', 'Look someone up', 'Invite someone'],
        },
      },
      page('concepts', 'the words that everything else uses, and how they fit together.'),
      page('dashboard', 'a tour, and the demo.'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page('queue', 'order, referrals, statuses, invites, segments, removal.'),
      page('waves', 'plans of invites, with schedules, quotas and a capacity.'),
      page('forms', 'the hosted page, the form on your site, the status page, bots, referral abuse.'),
      page('snippets', 'the form in HTML, React, Vue and others; signups from curl, Node.js, Python and Go.'),
      page('emails', 'kinds, sending, bounces, templates, languages, links.'),
      page(
        'gate',
        'only invited people sign up to your product: Supabase, Auth0, WorkOS, Kinde, Better Auth, Auth.js, Clerk.',
      ),
      page('webhooks', 'setup, verification in five languages, retries, replay.'),
      page('migrate', 'from GetWaitlist, Waitlister, LaunchList, Prefinery, Mailchimp or Kit.'),
      page('import-export', 'files, other services, and moving from SQLite to PostgreSQL.'),
      page('analytics', 'charts, time zones, metadata values, and what is counted.'),
      page('automation', 'from nothing to a working waitlist by curl.'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      {
        slug: 'configuration',
        file: 'README.md',
        about: 'every variable, with its default.',
        part: { title: 'Configuration', sections: ['Configuration'] },
      },
      // `/docs/admin` is the reference of the admin API.
      {
        slug: 'operators',
        file: 'docs/admin.md',
        about: 'accounts, roles, tokens, two-factor authentication, the audit trail.',
      },
      {
        slug: 'client',
        file: 'packages/client/README.md',
        about: 'a typed client for TypeScript and JavaScript.',
      },
      { slug: 'changelog', file: 'CHANGELOG.md', about: 'what changed in each release.' },
    ],
  },
  {
    title: 'Self-hosting',
    pages: [
      page('operations', 'PostgreSQL, backups, health checks, metrics, traces, keys, logs.'),
      page('systemd', 'the unit, its variables for commands, nightly backups, and bounces from Postfix.'),
      page('upgrade', 'the order of the steps, what callers get meanwhile, and the way back.'),
      page(
        'scaling',
        'SQLite or PostgreSQL, multiple instances, roles, failover, and what to watch as you grow.',
      ),
      page('security', 'what is encrypted, the threat model, and how to report a problem.'),
    ],
  },
  {
    title: 'Contributing',
    isOptional: true,
    pages: [
      page('architecture', 'the structure of the code and the reasons behind it.'),
      page('benchmarks', 'what it costs, how that is measured, and how to measure it yourself.'),
      page(
        'adding',
        'the shape of a verb, a route, a page, a migration, an event, a language, and a file to copy from.',
      ),
    ],
  },
];

function page(name: string, about: string): Source {
  return { slug: name, file: `docs/${name}.md`, about };
}
