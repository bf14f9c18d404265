import { domainToASCII } from 'node:url';

/**
 * Enhanced codes that are about the sender: its address (X.1.7, X.1.8), its quota (X.4.5), its authentication
 * (X.7.20 to X.7.29), and those by which Microsoft tells a sender that it is unknown, blocked or over its limits.
 */
const CODES = /^[45]\.(?:1\.[78]|4\.5|7\.(?:2\d|57|6[04]|50[012389]|51[1235]|6[0-4]\d|7\d\d))$/;

/** What servers say to a sender that they do not want, in the words of those in use. */
const WORDS: readonly RegExp[] = [
  /\b(?:not|un)[ -]?verified\b|\bverify your\b/,
  /\b(?:account|subscription|sending|sender|domain|service)\b.{0,60}\b(?:paused|suspended|disabled|deactivated|terminated|locked|on hold|under review|not (?:yet )?(?:active|activated|approved|enabled))\b/,
  /\b(?:send|sending|sent|daily|hourly|monthly|message|messages|rate|account|plan|credit|credits)\b.{0,40}\b(?:quota|limit|limits|rate|credits?)\b.{0,40}\b(?:exceeded|reached|exhausted)\b/,
  /\bthrottl|\brate limit|\btoo many (?:messages|emails|connections)\b|\b(?:insufficient|not enough|out of|no) credits?\b/,
  /\brelay(?:ing)?\b.{0,30}\b(?:denied|not (?:permitted|allowed)|prohibited|refused)\b|\b(?:unable|not (?:permitted|allowed)) to relay\b/,
  /\bsender\b.{0,60}\b(?:rejected|refused|denied|blocked|not (?:allowed|permitted|authorized|owned)|unknown|invalid|policy)\b/,
  /\bnot (?:allowed|permitted|authorized) to send\b|\bunauthenticated\b|\bsandbox\b|\bsend ?as\b/,
  /\b(?:spf|dkim|dmarc)\b.{0,60}\b(?:fail|failed|failure|fails|not pass|did not|does not|none|missing|reject|required)\b|\bfail\w*\b.{0,40}\b(?:spf|dkim|dmarc)\b/,
  /\b(?:ip|client|host|address|domain|sender)\b.{0,60}\b(?:blacklisted|blocklisted|blocked|banned|listed (?:by|in|on|at))\b|\bspamhaus\b|\breputation\b/,
];

/** A full mailbox or a rule of the recipient is theirs, whatever else the server says. */
const OF_RECIPIENT = /^[45]\.(?:1\.[1-6]|1\.10|2\.\d+|7\.1[0-4]\d)$/;

/** Whether a server that answers this refuses the sender, and would refuse every other email as well. */
export function isAboutUs(response: string): boolean {
  const enhanced = enhancedCode(response) ?? '';
  if (OF_RECIPIENT.test(enhanced)) return false;
  if (CODES.test(enhanced)) return true;
  const words = response.toLowerCase().replace(/\s+/g, ' ');
  return WORDS.some((pattern) => pattern.test(words));
}

/** `5.7.1` of `550 5.7.1 Refused`. */
export function enhancedCode(response: string): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
}

/** Words for a mailbox that is not there, for servers without enhanced codes. */
const NO_MAILBOX =
  /\b(?:mailbox|user|recipient|address|account|alias|person)\b.{0,60}\b(?:unknown|unavailable|not found|not exist|doesn't exist|invalid|disabled|inactive|rejected|no longer)\b|\b(?:no such|unknown|invalid|nonexistent|non-existent)\b.{0,30}\b(?:mailbox|user|recipient|address|account|person|here)\b/;

export function saysNoMailbox(response: string): boolean {
  return NO_MAILBOX.test(response.toLowerCase().replace(/\s+/g, ' '));
}

/** Also as it is written in links, where each parameter stands for itself, and in the addresses of bounces. */
const ADDRESS =
  /[^\s<>"'(),;:[\]]+@[^\s<>"'(),;:[\]]+|[^\s<>"'(),;:[\]?&=]+%40[^\s<>"'(),;:[\]?&=]+|[^\s<>"'(),;:[\]?&]+=40[^\s<>"'(),;:[\]?&=]+/gi;
const BASE64 = /[a-z0-9+/_-]{8,}={0,2}/gi;
/** Where in a word of base64 the address can begin: what is before it may be no part of it. */
const BASE64_STARTS = [0, 1, 2, 3];

/** The server's words without the recipient: everything that looks like an address, and both parts of theirs. */
export function withoutRecipient(response: string, { from, to }: { from: string; to: string }): string {
  const at = to.lastIndexOf('@');
  const [local, domain] = at < 0 ? ['', ''] : [to.slice(0, at), to.slice(at + 1)];
  const own = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  const hide = (text: string, part: string) =>
    part === '' || part.toLowerCase() === own
      ? text
      : text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(part)}(?![\\p{L}\\p{N}])`, 'giu'), '…');
  const plain = response.replace(ADDRESS, (found) =>
    found.replace(/%40/, '@').toLowerCase() === from.toLowerCase() ? found : '…',
  );
  const parts = [local, local.replace(/\+.*$/s, ''), domain, domainToASCII(domain)];
  return parts.reduce(
    hide,
    plain.replace(BASE64, (word) => (to !== '' && hidesAddress(word, to) ? '…' : word)),
  );
}

function hidesAddress(word: string, to: string): boolean {
  return BASE64_STARTS.some((start) =>
    Buffer.from(word.slice(start), 'base64').toString('utf8').toLowerCase().includes(to.toLowerCase()),
  );
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
