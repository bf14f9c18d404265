import { plainForm } from '../../lib/text.ts';

/** Invisible characters that link detectors skip: between the letters of a host name they hide it. */
const IGNORED = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;
/**
 * Treated as a dot by browsers, or looking like one. Others (fullwidth, small, one dot leader) become a dot
 * in NFKC.
 */
const DOT_LIKE = /[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\u{10a50}]/gu;

/** What mail clients turn into links, and a little more, because they differ in what they take for a host. */
const LINKS: readonly RegExp[] = [
  // https://, //host, and two backslashes as in a Windows share.
  /[/\\]{2}/,
  // A scheme without slashes.
  /(?:^|[^\p{L}])(?:https?|hxxps?|ftp|mailto|tel|sms|javascript|vbscript|data|file|about|blob)\s{0,9}:/iu,
  /(?:^|[^\p{L}\p{N}])www\d*\./iu,
  // A dot followed by two or more characters, the first a letter of any alphabet.
  /[^\s.,;:!?'"()<>{}[\]]\.[\p{L}][\p{L}\p{N}\p{M}-]/u,
  // A name without a dot, but with a port: localhost:3000.
  /\p{L}[\p{N}\p{M}-]{0,20}:\d{2,5}(?!\d)/u,
  // Addresses: 192.0.2.1, [2001:db8::1].
  /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/,
  /\[[\da-f:.]{0,9}:[\da-f:.]{1,40}\]/i,
];

/**
 * Whether a mail client could turn a stranger's value into a link, and so lead people somewhere in our name.
 * When in doubt, yes: all that happens is that a name that looks like a host is left out of a mail.
 */
export function couldBecomeLink(value: string): boolean {
  const seen = plainForm(value).replace(IGNORED, '').replace(DOT_LIKE, '.');
  return LINKS.some((link) => link.test(seen));
}
