import { DEFAULT_LANGUAGE, textsIn } from '../../languages/languages.ts';
import type { Notice } from '../../operators/context.ts';
import { linkUrl } from '../../operators/links.ts';
import type { Sending } from '../render.ts';
import type { Mail } from '../smtp/mail.ts';
import { layOut, readableOn } from '../templates/layout.ts';
import { parseTemplate, renderTemplate } from '../templates/liquid.ts';
import { toHtml } from '../templates/markdown-html.ts';
import { parseMarkdown, toText } from '../templates/markdown-text.ts';
import { DEFAULT_COLOUR } from '../templates/settings.ts';
import { Marks, plainEmail, plainLine } from '../templates/values.ts';
import type { StoredOperatorMail } from './notices.ts';
import { operatorTemplate } from './templates.ts';

/** The dashboard has one language. */
const TEXTS = textsIn(DEFAULT_LANGUAGE);
const FROM_NAME = 'Doorlist';
const PREVIEW_CHARACTERS_MAX = 120;

/** Deterministic: the same stored mail always gives the same mail. */
export function renderOperatorMail({ to, at, notice }: StoredOperatorMail, sending: Sending): Mail {
  const { publicUrl, defaultFrom } = sending;
  const links = {
    link: linkOf(notice, publicUrl),
    signInLink: `${publicUrl}/sign-in`,
    healthLink: `${publicUrl}/instance/health`,
  };
  const { host } = new URL(publicUrl);
  const values = { ...links, host, at: TEXTS.formats.date(at), ...valuesOf(notice) };
  const marks = new Marks(new Set(Object.values(links).filter((link) => link !== null)));
  const template = operatorTemplate(notice);
  const asText = { mark: (value: unknown) => (value == null ? '' : String(value)) };
  const subject = plainLine(renderTemplate(parseTemplate(template.subject), values, asText, TEXTS.formats));
  const tokens = parseMarkdown(renderTemplate(parseTemplate(template.body), values, marks, TEXTS.formats));
  const text = toText(tokens, marks);
  const look = { colour: DEFAULT_COLOUR, onColour: readableOn(DEFAULT_COLOUR), dir: TEXTS.dir };
  const reason = `You received this email because you are an operator of Doorlist on ${host}.`;
  return {
    from: { name: FROM_NAME, address: defaultFrom },
    replyTo: null,
    to,
    subject,
    text: `${text}\n\n-- \n${reason}\n`,
    html: layOut({
      ...look,
      texts: TEXTS,
      title: subject,
      preview: plainLine(toText(tokens.slice(1), marks), PREVIEW_CHARACTERS_MAX),
      name: FROM_NAME,
      logoUrl: null,
      content: toHtml(tokens, marks, look),
      footer: null,
      reason,
      statusUrl: null,
      leaveLink: null,
    }),
    unsubscribeLink: null,
  };
}

function linkOf(notice: Notice, publicUrl: string): string | null {
  return 'token' in notice ? linkUrl(publicUrl, notice.token) : null;
}

function valuesOf(notice: Notice): Record<string, unknown> {
  if (notice.kind === 'health') return { failing: notice.failing, recovered: notice.recovered };
  if ('token' in notice) {
    const by = notice.by === null ? null : plainEmail(notice.by);
    return { by, expiresAt: TEXTS.formats.date(notice.expiresAt) };
  }
  const address = notice.address ?? null;
  return notice.kind === 'new-sign-in' ? { address, browser: describeBrowser(notice.agent) } : { address };
}

const BROWSERS: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** In our own words only: what a client says about itself may be anything. */
function describeBrowser(agent: string): string {
  const of = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system ? `a browser on ${system}` : 'unknown');
}
