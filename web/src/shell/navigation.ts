import {
  Activity,
  ArrowDownUp,
  Braces,
  CalendarClock,
  ClipboardPen,
  HeartPulse,
  Inbox,
  KeyRound,
  Layers,
  ListOrdered,
  Mail,
  ScrollText,
  Send,
  Settings,
  Ticket,
  Users,
  Webhook,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/me.ts';

interface Destination<To extends string> {
  to: To;
  label: string;
  icon: ComponentType<{ className?: string }>;
  /** The lowest role that may see it. */
  role: Role;
  /** More words by which the command palette finds it. */
  words?: string;
}

function destinations<const To extends string>(list: readonly Destination<To>[]): readonly Destination<To>[] {
  return list;
}

/** Pages of a waitlist, in the order of the sidebar. */
export const WAITLIST_PAGES = destinations([
  {
    to: '/waitlists/$waitlistId',
    label: 'Overview',
    icon: Activity,
    role: 'viewer',
    words: 'statistics chart signups',
  },
  {
    to: '/waitlists/$waitlistId/queue',
    label: 'Queue',
    icon: ListOrdered,
    role: 'viewer',
    words: 'entries people signups positions search segments',
  },
  {
    to: '/waitlists/$waitlistId/invites',
    label: 'Invites',
    icon: Send,
    role: 'viewer',
    words: 'send codes links revoke resend',
  },
  {
    to: '/waitlists/$waitlistId/codes',
    label: 'Codes',
    icon: Ticket,
    role: 'viewer',
    words: 'shared code limit many friends podcast',
  },
  {
    to: '/waitlists/$waitlistId/waves',
    label: 'Waves',
    icon: CalendarClock,
    role: 'viewer',
    words: 'plan schedule invites quotas capacity forecast',
  },
  {
    to: '/waitlists/$waitlistId/emails',
    label: 'Emails',
    icon: Mail,
    role: 'support',
    words: 'templates sender smtp log suppressions unsubscribed bounced complaints',
  },
  {
    to: '/waitlists/$waitlistId/webhooks',
    label: 'Webhooks',
    icon: Webhook,
    role: 'support',
    words: 'endpoints deliveries events replay signing secret',
  },
  {
    to: '/waitlists/$waitlistId/form',
    label: 'Form',
    icon: ClipboardPen,
    role: 'viewer',
    words: 'hosted page signup embed captcha origins fields consent spam reviews',
  },
  {
    to: '/waitlists/$waitlistId/api',
    label: 'API',
    icon: Braces,
    role: 'viewer',
    words: 'server keys curl snippets',
  },
  {
    to: '/waitlists/$waitlistId/transfer',
    label: 'Import and export',
    icon: ArrowDownUp,
    role: 'admin',
    words: 'csv json file upload download migrate preset',
  },
  {
    to: '/waitlists/$waitlistId/settings',
    label: 'Settings',
    icon: Settings,
    role: 'admin',
    words: 'name boost referrals expiry close delete',
  },
]);

/** Pages of the installation. */
export const INSTANCE_PAGES = destinations([
  {
    to: '/instance/team',
    label: 'Team',
    icon: Users,
    role: 'admin',
    words: 'operators people members invite',
  },
  { to: '/instance/tokens', label: 'Tokens', icon: KeyRound, role: 'admin', words: 'admin api automation' },
  {
    to: '/instance/keys',
    label: 'Product keys',
    icon: Braces,
    role: 'admin',
    words: 'server api all waitlists rotate revoke',
  },
  {
    to: '/instance/environments',
    label: 'Environments',
    icon: Layers,
    role: 'viewer',
    words: 'production development staging create',
  },
  { to: '/instance/mailbox', label: 'Mailbox', icon: Inbox, role: 'support', words: 'emails kept sent' },
  { to: '/instance/audit', label: 'Audit', icon: ScrollText, role: 'admin', words: 'trail log history' },
  {
    to: '/instance/health',
    label: 'Health',
    icon: HeartPulse,
    role: 'support',
    words: 'status database disk backlog version time zone settings',
  },
]);

const PAGES = [...WAITLIST_PAGES, ...INSTANCE_PAGES];

/** The page that a route such as `/waitlists/$waitlistId/webhooks/$endpointId` belongs to. */
export function pageOfRoute(path: string): { label: string; role: Role } | undefined {
  const found = PAGES.filter(({ to }) => path === to || path.startsWith(`${to}/`));
  return found.toSorted((a, b) => b.to.length - a.to.length)[0];
}
