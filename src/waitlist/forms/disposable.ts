import { createRequire } from 'node:module';

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
