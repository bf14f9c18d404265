import { limits, type Setting, setting, type ValuesOf } from '../../lib/setting.ts';
import { isLine } from '../../lib/text.ts';
import { fields } from './form-fields.ts';

export const CAPTCHA_PROVIDERS = ['turnstile', 'hcaptcha'] as const;
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number];
export const CAPTCHA_KEY_CHARACTERS_MAX = 200;

const ORIGINS_MAX = 50;
/** A host has at most 253 characters. */
const ORIGIN_CHARACTERS_MAX = 300;
const TEXT_CHARACTERS_MAX = 2_000;
const VERSION_CHARACTERS_MAX = 40;
const URL_CHARACTERS_MAX = 1_000;
/** A name as browsers write it in ASCII, or an address. They would also parse `*.example.com`, but never send it. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/;

/** The settings of a form, in the order of the reference. */
export const FORM_SETTINGS = {
  /** Our own pages always may. */
  allowedOrigins: setting<string[]>({
    default: [],
    schema: {
      type: 'array',
      items: { type: 'string', ...limits({ maxLength: ORIGIN_CHARACTERS_MAX }) },
      ...limits({ maxItems: ORIGINS_MAX }),
      description: 'Origins whose pages may contain the form, such as `https://example.com`.',
    },
    check: (origins, tell) => {
      if (origins.length > ORIGINS_MAX) tell(`must have at most ${ORIGINS_MAX} elements`);
      for (const [index, origin] of origins.entries()) {
        if (!isOrigin(origin))
          tell('must be an origin such as https://example.com, without wildcards', `[${index}]`);
      }
    },
  }),
  fields,
  consent: setting<{ text: string; version: string } | null>({
    default: null,
    schema: {
      type: ['object', 'null'],
      properties: {
        text: {
          type: 'string',
          ...limits({ maxLength: TEXT_CHARACTERS_MAX }),
          description: 'What people agree to.',
        },
        version: {
          type: 'string',
          ...limits({ maxLength: VERSION_CHARACTERS_MAX }),
          description: 'Stored with the entry. Change it when the text changes.',
        },
      },
      required: ['text', 'version'],
      additionalProperties: false,
      description: 'A box that people must check. `null` for none.',
    },
    check: (consent, tell) => {
      if (consent === null) return;
      const { text, version } = consent;
      if (text.trim() === '' || text.length > TEXT_CHARACTERS_MAX)
        tell(`must be 1 to ${TEXT_CHARACTERS_MAX} characters`, '.text');
      if (version.trim() === '' || !isLine(version, VERSION_CHARACTERS_MAX))
        tell(`must be 1 to ${VERSION_CHARACTERS_MAX} characters`, '.version');
    },
  }),
  utm: onOff('Whether `utm_…` parameters are stored as metadata.'),
  redirectUrl: url('Where people go after joining. `null` to show their position.'),
  acceptedUrl: url('Where the hosted join page leads after an invite was accepted. `null` for nowhere.'),
  headline: line(
    'Heading of the hosted page. `null` for the default, which has the name of the waitlist.',
    200,
  ),
  text: text(
    'Text below the heading. `null` for the default.',
    TEXT_CHARACTERS_MAX,
    `must have at most ${TEXT_CHARACTERS_MAX} characters`,
    (value) => value.length <= TEXT_CHARACTERS_MAX,
  ),
  buttonText: line('Label of the button. `null` for the default.', 60),
  shareImageUrl: text(
    'HTTPS picture that social networks show beside a link to the hosted pages, best 1200 by 630 pixels. `null` for the logo.',
    URL_CHARACTERS_MAX,
    'must be an https URL without a user name or password',
    (value) => isUrl(value) && value.startsWith('https:'),
  ),
  blockDisposable: onOff('Whether disposable email addresses are turned away.'),
  blockRoleAddresses: onOff(
    'Whether addresses of a task instead of a person, such as `info@`, are turned away.',
  ),
  captcha: setting<{ provider: CaptchaProvider; siteKey: string } | null>({
    default: null,
    schema: {
      type: ['object', 'null'],
      properties: {
        provider: { type: 'string', enum: CAPTCHA_PROVIDERS, description: 'Who checks.' },
        siteKey: {
          type: 'string',
          ...limits({ maxLength: CAPTCHA_KEY_CHARACTERS_MAX }),
          description: 'Public key of your site.',
        },
      },
      required: ['provider', 'siteKey'],
      additionalProperties: false,
      description: 'A CAPTCHA in addition to the built-in checks. `null` for none.',
    },
    check: (captcha, tell) => {
      if (captcha === null) return;
      if (!CAPTCHA_PROVIDERS.includes(captcha.provider))
        tell(`must be one of ${CAPTCHA_PROVIDERS.join(', ')}`, '.provider');
      if (!/^[\w.-]{1,200}$/.test(captcha.siteKey))
        tell('must be the site key that the provider shows', '.siteKey');
    },
  }),
};

export type FormSettings = ValuesOf<typeof FORM_SETTINGS>;

function onOff(description: string): Setting<boolean> {
  return { default: false, schema: { type: 'boolean', description } };
}

function line(description: string, maxLength: number): Setting<string | null> {
  const rule = `must be one line of at most ${maxLength} characters`;
  return text(description, maxLength, rule, (value) => isLine(value, maxLength));
}

function url(description: string): Setting<string | null> {
  const rule = 'must be an http or https URL without a user name or password';
  return text(description, URL_CHARACTERS_MAX, rule, isUrl);
}

function text(
  description: string,
  maxLength: number,
  rule: string,
  isValid: (value: string) => boolean,
): Setting<string | null> {
  return {
    default: null,
    schema: { type: ['string', 'null'], ...limits({ maxLength }), description },
    check: (value, tell) => {
      if (value !== null && !isValid(value)) tell(rule);
    },
  };
}

function isUrl(text: string): boolean {
  if (text.length > URL_CHARACTERS_MAX || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(text) || !URL.canParse(text))
    return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** As a browser sends it. Plain http only for development on the same machine. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  if (!HOST.test(hostname)) return false;
  const local = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && local));
}
