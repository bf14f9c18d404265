// The web component <doorlist-form>, served as /form.js. Plain JavaScript: browsers get it as it is.
(() => {
  const { currentScript } = document;
  const scriptUrl = currentScript instanceof HTMLScriptElement ? currentScript.src : location.href;
  const TOKEN_MS = 90 * 60_000;
  const REFRESH_MS = 30_000;
  const READ_MS = 1_200;
  const WIDGETS = {
    turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
  };

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host { display: block; font: 400 1rem/1.5 var(--doorlist-font, inherit); color: var(--doorlist-text, inherit); }
* { box-sizing: border-box; }
p, h2 { margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; line-height: 1.3; }
h2:focus { outline: none; }
.field { margin: 0 0 1rem; }
label { display: block; font-weight: 600; }
small { font-weight: 400; color: var(--doorlist-soft, inherit); }
input, select, button { font: inherit; border-radius: var(--doorlist-radius, .5rem); }
input:not([type=checkbox]), select { width: 100%; margin-top: .25rem; padding: .65rem .75rem; color: inherit; background: var(--doorlist-background, light-dark(#fff, #1c2024)); border: 1px solid var(--doorlist-border, #767f8a); }
.check { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; }
.check input { flex: none; width: 1.2rem; height: 1.2rem; margin: .15rem 0 0; accent-color: var(--doorlist-accent, #0f766e); }
button { width: 100%; padding: .7rem 1rem; font-weight: 600; color: var(--doorlist-on-accent, #fff); background: var(--doorlist-accent, #0f766e); border: 1px solid transparent; cursor: pointer; }
button[aria-disabled=true] { opacity: .7; cursor: progress; }
:focus-visible { outline: 3px solid currentcolor; outline-offset: 2px; }
button:focus-visible { outline-color: var(--doorlist-text, light-dark(#000, #fff)); }
.problem { margin: .25rem 0 0; font-size: .9375rem; color: var(--doorlist-danger, light-dark(#b42318, #ff8a80)); }
input[aria-invalid=true]:not([type=checkbox]), select[aria-invalid=true] { border-color: var(--doorlist-danger, light-dark(#b42318, #ff8a80)); }
.position { font-size: 1.25rem; font-weight: 700; }
.trap { position: absolute; left: -9999px; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0 0; padding: 0; list-style: none; }
.row button { width: auto; flex: 1 1 8rem; }
.row a { display: block; padding: .4rem .8rem; color: inherit; text-decoration: none; border: 1px solid var(--doorlist-border, #767f8a); border-radius: 99px; }
`);

  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const name in attributes)
      if (attributes[name] !== undefined && attributes[name] !== false)
        node.setAttribute(name, attributes[name] === true ? '' : attributes[name]);
    node.append(...children.filter((child) => child));
    return node;
  };
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));
  const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

  /** Tries counters, some at a time: WebCrypto works beside the main thread. */
  const solve = async (challenge) => {
    const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters;
    const step = Math.max(1, Math.min(4, navigator.hardwareConcurrency || 2));
    const options = { name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost };
    let solution;
    const search = async (first) => {
      const password = new Uint8Array(nonce.length / 2 + 4);
      password.set(fromHex(nonce));
      for (let counter = first; !solution; counter += step) {
        new DataView(password.buffer).setUint32(nonce.length / 2, counter);
        const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
        const derivedKey = toHex(new Uint8Array(await crypto.subtle.deriveBits(options, key, keyLength * 8)));
        if (derivedKey.startsWith(keyPrefix)) solution ??= { counter, derivedKey };
      }
    };
    await Promise.all(Array.from({ length: step }, (_, first) => search(first)));
    return btoa(JSON.stringify({ challenge, solution }));
  };

  /** Loads the widget of a CAPTCHA provider, once for the page. */
  const loaded = {};
  const loadWidget = (provider) => {
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

  class DoorlistForm extends HTMLElement {
    static observedAttributes = ['form-key'];

    async connectedCallback() {
      if (this.root) return;
      this.root = this.attachShadow({ mode: 'open' });
      this.root.adoptedStyleSheets = [sheet];
      const inline = this.querySelector('script[type="application/json"]');
      try {
        this.use(inline ? JSON.parse(inline.textContent) : await this.load());
        this.replaceChildren(); // The plain form inside is not needed.
        this.show();
      } catch {
        this.root.append(el('slot')); // What the page has inside the element, such as a plain form.
        this.tell('error', {});
      }
    }

    disconnectedCallback() {
      clearInterval(this.timer);
    }

    get url() {
      return new URL(`form/v1/${this.getAttribute('form-key')}`, this.getAttribute('src') ?? scriptUrl);
    }

    async load() {
      const url = this.url;
      const language = this.getAttribute('lang') ?? document.documentElement.lang;
      if (language) url.searchParams.set('lang', language);
      const response = await fetch(url);
      if (!response.ok) throw new Error(String(response.status));
      return response.json();
    }

    use(data) {
      this.data = data;
      this.usedAt = Date.now();
      this.proof = solve(data.challenge);
    }

    tell(name, detail) {
      this.dispatchEvent(new CustomEvent(`doorlist:${name}`, { detail, bubbles: true, composed: true }));
    }

    show() {
      const { data } = this;
      const { texts } = data;
      this.message = el('p', { part: 'message', class: 'problem', role: 'alert' });
      if (data.closed) {
        this.root.append(el('p', { part: 'text' }, texts.closed));
        return;
      }
      this.button = el('button', { part: 'button' }, texts.button);
      this.form = el(
        'form',
        { part: 'form', novalidate: true },
        this.field({ name: 'email', label: texts.email, type: 'email', required: true }),
        ...data.fields.map((field) => this.field(field)),
        data.consent &&
          this.field({ name: 'consent', label: data.consent.text, type: 'checkbox', required: true }),
        el(
          'div',
          { class: 'trap', 'aria-hidden': 'true' },
          el(
            'label',
            {},
            texts.leaveEmpty,
            el('input', { name: 'website', tabindex: '-1', autocomplete: 'off' }),
          ),
        ),
        data.captcha && el('slot', { name: 'captcha' }),
        this.message,
        this.button,
      );
      this.form.addEventListener('submit', (event) => {
        event.preventDefault();
        if (!this.sending) void this.send();
      });
      this.root.append(this.form);
      if (data.captcha) void this.showCaptcha(data.captcha);
    }

    field({ name, label, type, options = [], required }) {
      const { texts } = this.data;
      const attributes = { name, id: name, required, part: 'input' };
      const problem = el('p', { class: 'problem', part: 'problem', id: `${name}-problem`, hidden: true });
      if (type === 'checkbox') {
        const box = el('input', { ...attributes, type, part: 'checkbox' });
        return el(
          'div',
          { class: 'field', part: 'field' },
          el('label', { class: 'check', part: 'label' }, box, el('span', {}, label)),
          problem,
        );
      }
      const input =
        type === 'choice'
          ? el(
              'select',
              attributes,
              el('option', { value: '' }, texts.choose),
              ...options.map((each) => el('option', {}, each)),
            )
          : el(
              'input',
              type === 'email'
                ? { ...attributes, type, autocomplete: 'email', placeholder: texts.emailExample }
                : attributes,
            );
      const hint = !required && el('small', {}, ` (${texts.optional})`);
      return el(
        'div',
        { class: 'field', part: 'field' },
        el('label', { for: name, part: 'label' }, label, hint),
        input,
        problem,
      );
    }

    /** In the page itself, because widgets do not work inside a shadow root. */
    async showCaptcha({ provider, siteKey }) {
      const place = el('div', { slot: 'captcha' });
      this.append(place);
      const widget = await loadWidget(provider);
      const callback = (response) => {
        this.captcha = response;
      };
      this.widget = { reset: () => widget.reset(id) };
      const id = widget.render(place, { sitekey: siteKey, callback });
    }

    async send() {
      const { texts } = this.data;
      this.sending = true;
      this.button.setAttribute('aria-disabled', 'true');
      this.button.textContent = texts.sending;
      this.mark({});
      try {
        await this.post();
      } catch {
        this.message.textContent = texts.error;
        this.tell('error', {});
      }
      this.sending = false;
      this.button.removeAttribute('aria-disabled');
      this.button.textContent = texts.button;
    }

    async post() {
      if (Date.now() - this.usedAt > TOKEN_MS) this.use(await this.load());
      const { texts } = this.data;
      const body = new URLSearchParams(new FormData(this.form));
      for (const [name, value] of new URL(location.href).searchParams)
        if (name === 'ref' || name.startsWith('utm_')) body.set(name, value);
      body.set('include', 'status');
      body.set('lang', this.data.language);
      body.set('proof', await this.proof);
      if (this.captcha) body.set('captcha', this.captcha);
      await pause(READ_MS - (Date.now() - this.usedAt));
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body,
      });
      const answer = await response.json();
      if (response.ok) return this.finish(answer);
      this.tell('error', answer);
      this.widget?.reset();
      if (answer.fields) return this.mark(answer.fields);
      this.message.textContent =
        { refused: texts.refused, waitlist_closed: texts.closed, rate_limited: texts.rateLimited }[
          answer.code
        ] ?? texts.error;
      if (answer.code === 'refused') this.use(await this.load());
    }

    /** Shows what is wrong, at the fields it concerns. */
    mark(problems) {
      this.message.textContent = '';
      for (const input of this.form.querySelectorAll('[id]:is(input, select)')) {
        const text = problems[input.id];
        const place = this.root.getElementById(`${input.id}-problem`);
        place.textContent = text ?? '';
        place.hidden = !text;
        if (text) input.setAttribute('aria-invalid', 'true');
        else input.removeAttribute('aria-invalid');
        if (text) input.setAttribute('aria-describedby', place.id);
        else input.removeAttribute('aria-describedby');
      }
      this.form.querySelector('[aria-invalid]')?.focus();
    }

    finish(answer) {
      const { texts, redirectUrl } = this.data;
      this.tell('joined', answer);
      if (redirectUrl) return location.assign(redirectUrl);
      const joined = answer.state === 'joined';
      this.setAttribute('state', answer.state);
      const title = el('h2', { part: 'title', tabindex: '-1' }, joined ? texts.joined : texts.checkInbox);
      const view = el('div', { part: 'result' }, title);
      if (joined && answer.status) this.showStatus(view, answer);
      else view.append(el('p', { part: 'text' }, joined ? texts.joinedText : texts.checkInboxText));
      this.form.replaceWith(view);
      this.querySelector('[slot=captcha]')?.remove();
      title.focus();
    }

    showStatus(view, { status, statusUrl }) {
      const { texts } = this.data;
      const position = el('p', { part: 'position', class: 'position' }, status.positionText ?? '');
      const link = el('input', {
        part: 'input',
        readonly: true,
        value: status.shareUrl,
        'aria-label': texts.linkLabel,
      });
      const copy = el('button', { part: 'button', type: 'button' }, texts.copy);
      copy.addEventListener('click', async () => {
        link.select();
        await navigator.clipboard.writeText(status.shareUrl).catch(() => document.execCommand('copy'));
        copy.textContent = texts.copied;
      });
      const share = navigator.share && el('button', { part: 'button', type: 'button' }, texts.share);
      if (share)
        share.addEventListener('click', () => {
          navigator.share({ text: status.post, url: status.shareUrl }).catch(() => {});
        });
      const links = status.links.map(({ name, label, url }) =>
        el(
          'li',
          {},
          el(
            'a',
            { href: url, target: '_blank', rel: 'noopener noreferrer', 'aria-label': label, part: 'link' },
            name,
          ),
        ),
      );
      view.append(
        position,
        el('p', { part: 'text' }, status.shareText),
        link,
        el('div', { class: 'row' }, copy, share),
        el('ul', { class: 'row' }, ...links),
      );
      this.timer = setInterval(async () => {
        if (document.hidden) return;
        const response = await fetch(`${statusUrl}?lang=${this.data.language}`, {
          headers: { accept: 'application/json' },
        }).catch(() => undefined);
        if (response?.ok) position.textContent = (await response.json()).positionText ?? '';
      }, REFRESH_MS);
    }
  }

  if (!customElements.get('doorlist-form')) customElements.define('doorlist-form', DoorlistForm);
})();
