import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import type { CaptchaProvider } from '../../src/waitlist/forms/form-settings.ts';

/** A CAPTCHA provider's server that accepts one answer. */
export async function startCaptchaProvider() {
  const asked: URLSearchParams[] = [];
  let status = 200;
  let delayMs = 0;
  let answeredAt = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const values = new URLSearchParams(body);
    asked.push(values);
    if (delayMs > 0) await setTimeout(delayMs);
    answeredAt = performance.now();
    response.writeHead(status).end(JSON.stringify({ success: values.get('response') === 'human' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    asked,
    break: () => {
      status = 500;
    },
    slowDown: (ms: number) => {
      delayMs = ms;
    },
    /** When it last answered, by `performance.now()`. */
    answeredAt: () => answeredAt,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What the widgets of the providers load beside their script, by their documentation of policies. */
const LOADS: Record<CaptchaProvider, { hosts: RegExp; code: string }> = {
  turnstile: {
    hosts: /^https:\/\/challenges\.cloudflare\.com\//,
    code: "frame.src = 'https://challenges.cloudflare.com/frame';",
  },
  hcaptcha: {
    hosts: /^https:\/\/(\w+\.)?hcaptcha\.com\//,
    code: `frame.src = 'https://newassets.hcaptcha.com/frame';
document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'https://newassets.hcaptcha.com/style.css' }));
fetch('https://api.hcaptcha.com/config');`,
  },
};

/** In place of the provider's script: two buttons give the answer of a person and of a robot. */
export async function standInForWidget(page: Page, provider: CaptchaProvider): Promise<void> {
  const { hosts, code } = LOADS[provider];
  const script = `window.${provider} = {
    render(place, { sitekey, callback, size, theme }) {
      const frame = document.createElement('iframe');
      frame.title = [sitekey, size, theme].join(' ');
      ${code}
      place.append(frame);
      for (const answer of ['human', 'robot']) {
        const button = document.createElement('button');
        button.textContent = 'answer as ' + answer;
        button.onclick = () => callback(answer);
        place.append(button);
      }
      return 'widget';
    },
    reset(id) { document.documentElement.dataset.reset = id; },
  };`;
  const body = { script, stylesheet: '', fetch: '{}', document: '<!doctype html><title>Widget</title>' };
  await page.route(hosts, (route: Route) => {
    const type = route.request().resourceType();
    return route.fulfill({
      contentType:
        { script: 'text/javascript', stylesheet: 'text/css', document: 'text/html' }[type] ??
        'application/json',
      headers: { 'access-control-allow-origin': '*' },
      body: body[type as keyof typeof body],
    });
  });
}
