import { el } from './dom.js';

const WIDGETS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
};
/** Both providers have a small widget for less room than this. */
const WIDGET_PIXELS = 304;

const loaded = {};

/** Once for the page. */
const load = (provider) => {
  loaded[provider] ??= new Promise((resolve, reject) => {
    const policy = window.trustedTypes?.createPolicy('doorlist', { createScriptURL: (url) => url });
    const script = el('script', { async: true });
    script.src = policy ? policy.createScriptURL(WIDGETS[provider]) : WIDGETS[provider];
    script.onload = () => resolve(window[provider]);
    script.onerror = reject;
    document.head.append(script);
  });
  return loaded[provider];
};

/** An answer works once, and for some minutes. */
export const showWidget = async (place, { provider, siteKey }) => {
  const api = await load(provider);
  const shown = { answer: '' };
  const id = api.render(place, {
    sitekey: siteKey,
    size: place.clientWidth < WIDGET_PIXELS ? 'compact' : 'normal',
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    callback: (answer) => {
      shown.answer = answer;
    },
    'expired-callback': () => {
      shown.answer = '';
    },
  });
  shown.reset = () => {
    shown.answer = '';
    api.reset(id);
  };
  return shown;
};
