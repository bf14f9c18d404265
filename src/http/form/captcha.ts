import type { Log } from '../../lib/log.ts';
import { logSparingly } from '../../lib/sparing-log.ts';
import type { CaptchaProvider } from '../../waitlist/forms/form-settings.ts';
import type { Guard } from '../../webhooks/guard.ts';
import { lazyDispatcher, post } from '../../webhooks/requests.ts';
import type { CaptchaSources } from '../pages/branded-page.ts';

const DEADLINE_MS = 5_000;
const RESPONSE_CHARACTERS_MAX = 4_000;

const VERIFY_URLS: Record<CaptchaProvider, string> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

const TURNSTILE = 'https://challenges.cloudflare.com';
const HCAPTCHA = 'https://hcaptcha.com https://*.hcaptcha.com';

/** What a page must be allowed to load for the CAPTCHA to work, as the providers document it. */
export const CAPTCHA_SOURCES: Record<CaptchaProvider, CaptchaSources> = {
  turnstile: { 'script-src': TURNSTILE, 'frame-src': TURNSTILE },
  hcaptcha: { 'script-src': HCAPTCHA, 'frame-src': HCAPTCHA, 'style-src': HCAPTCHA, 'connect-src': HCAPTCHA },
};

export type VerifyCaptcha = (provider: CaptchaProvider, secret: string, response: string) => Promise<boolean>;

export interface CaptchaOptions {
  guard: Guard;
  proxyUrl?: string | undefined;
  /** Other addresses to ask, for tests. */
  urls?: Partial<Record<CaptchaProvider, string>>;
}

/** Asks the provider. Without an answer, nobody passes. */
export function captchaVerifier(
  { guard, proxyUrl, urls = {} }: CaptchaOptions,
  log: Log,
): { verify: VerifyCaptcha; close(): Promise<void> } {
  const lazy = lazyDispatcher({ connect: guard.connect, proxyUrl });
  return {
    verify: async (provider, secret, response) => {
      if (response === '' || response.length > RESPONSE_CHARACTERS_MAX) return false;
      const url = guard.checkUrl(urls[provider] ?? VERIFY_URLS[provider]);
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      const body = new URLSearchParams({ secret, response }).toString();
      try {
        const { status, text } = await post(await lazy.open(), { url, headers, body }, DEADLINE_MS);
        return status === 200 && (JSON.parse(text ?? '{}') as { success?: unknown }).success === true;
      } catch (error) {
        const fields = { provider, reason: (error as Error).message };
        logSparingly(log, 'warn', fields, 'could not verify a CAPTCHA');
        return false;
      }
    },
    close: lazy.destroy,
  };
}
