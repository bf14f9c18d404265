import { createRequire } from 'node:module';
import { isTypo } from '../../lib/text.ts';
import type { FieldProblem } from './form-input.ts';
import type { FormSettings } from './form-settings.ts';

/** Names that stand for a task, not for a person. Those of RFC 2142, and what companies commonly add. */
const ROLES = new Set(
  (
    'abuse accounts accounting admin administrator billing careers compliance contact customerservice devnull enquiries ' +
    'feedback finance hello help helpdesk hostmaster hr info inquiries investors invoices it jobs kontakt legal list mail ' +
    'mailer-daemon marketing media news newsletter no-reply nobody noc noreply office orders postmaster press privacy ' +
    'registrar root sales security service services spam staff support sysadmin team usenet uucp webmaster welcome'
  ).split(' '),
);

/** Long enough that a domain with one other letter is rarely meant. */
const PROVIDERS = [
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'hotmail.com',
  'outlook.com',
  'icloud.com',
  'protonmail.com',
];
/** Providers and companies that are one letter from another. */
const MEANT = new Set(
  (
    'mail.com email.com ymail.com fmail.com hmail.com jmail.com qmail.com tmail.com vmail.com xmail.com zmail.com ' +
    'cloud.com gmail.co.uk hotmail.co.uk'
  ).split(' '),
);

interface TypedAddress {
  problem: FieldProblem | undefined;
  /** What was probably meant. */
  suggestion: string | undefined;
}

/** What to tell somebody about an address that they typed, and that is otherwise valid. Both in normal form. */
export function checkTypedAddress(
  { blockRoleAddresses }: FormSettings,
  email: string,
  suggestedFor: string | undefined,
): TypedAddress {
  if (blockRoleAddresses && isRoleAddress(email)) return { problem: 'emailRole', suggestion: undefined };
  const suggestion = suggestedFor === undefined || suggestedFor === email ? undefined : suggestAddress(email);
  return { problem: suggestion === undefined ? undefined : 'emailTypo', suggestion };
}

export function isRoleAddress(email: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@'));
  return ROLES.has(name.split('+')[0] ?? '');
}

/** The address at the provider whose name was probably misspelled. */
export function suggestAddress(email: string): string | undefined {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (PROVIDERS.includes(domain) || MEANT.has(domain)) return undefined;
  const meant = PROVIDERS.find((provider) => isTypo(domain, provider));
  return meant && email.slice(0, at) + meant;
}

/** Loaded when it is first needed: most installations do not. */
let domains: Set<string> | undefined;

/** Whether the domain, or one above it, hands out addresses to throw away. */
export function isDisposable(email: string): boolean {
  if (!domains) {
    const list = createRequire(import.meta.url)('disposable-email-domains-js') as {
      disposableEmailBlocklistSet(): Set<string>;
    };
    domains = list.disposableEmailBlocklistSet();
  }
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.');
  return labels.some((_, index) => domains?.has(labels.slice(index).join('.')));
}
