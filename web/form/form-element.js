// The web component <doorlist-form>. `npm run form:build` makes one script of it and of what it imports.
import { showWidget } from './captcha-widget.js';
import { el } from './dom.js';
import { solve } from './proof-of-work.js';
import { shareParts } from './share-parts.js';
import style from './style.css?inline';

const scriptUrl = document.currentScript?.src ?? location.href;
const TOKEN_MS = 90 * 60_000;
const REFRESH_MS = 30_000;
const READ_MS = 1_200;

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class DoorlistForm extends HTMLElement {
  static observedAttributes = ['form-key'];

  connectedCallback() {
    this.timer = setInterval(() => this.refresh?.(), REFRESH_MS);
    if (this.root) return; // It was moved.
    this.root = this.attachShadow({ mode: 'open' });
    this.root.adoptedStyleSheets = [sheet];
    this.start();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  attributeChangedCallback(_, before, key) {
    if (this.root && before !== key) this.start();
  }

  async start() {
    const inline = this.querySelector('script[type="application/json"]');
    const key = this.formKey;
    try {
      if (!crypto.subtle) throw new Error(); // Plain http has no WebCrypto.
      const data = inline ? JSON.parse(inline.textContent) : await this.load();
      if (key !== this.formKey) return;
      this.use(data);
      // Filled in by the server, or by somebody while this was loading.
      this.given = new FormData(this.querySelector('form') ?? undefined);
      this.replaceChildren(); // The plain form inside is not needed.
      this.show();
    } catch (error) {
      if (key !== this.formKey) return;
      void this.explain(error);
      this.root.replaceChildren(el('slot', {})); // What the page has inside the element, such as a plain form.
      this.tell('error', {});
    }
  }

  /** For the owner of the site: browsers tell a page only that a request failed, not why. */
  async explain(error) {
    if (!(error instanceof TypeError)) return;
    const reached = await fetch(this.url, { mode: 'no-cors' }).then(
      () => true,
      () => false,
    );
    console.warn(
      reached
        ? `Doorlist: the form was not shown. Most likely ${location.origin} is not among its allowed origins: add it in the dashboard, under Form.`
        : `Doorlist: the form was not shown, because ${this.url.origin} cannot be reached.`,
    );
  }

  get formKey() {
    return this.getAttribute('form-key');
  }

  get url() {
    return new URL(`form/v1/${this.formKey}`, this.getAttribute('src') ?? scriptUrl);
  }

  async load() {
    const url = this.url;
    const language = this.getAttribute('lang') ?? document.documentElement.lang;
    if (language) url.searchParams.set('lang', language);
    const response = await fetch(url);
    if (!response.ok) throw new Error();
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
    this.refresh = this.captcha = undefined;
    this.removeAttribute('state');
    this.message = el('p', { part: 'message', class: 'problem', role: 'alert' });
    if (data.closed) {
      this.root.replaceChildren(el('p', { part: 'text', lang: data.language }, texts.closed));
      return;
    }
    this.button = el('button', { part: 'button' }, texts.button);
    const trap = el('input', { name: 'website', tabindex: '-1', autocomplete: 'off' });
    this.form = el(
      'form',
      { part: 'form', novalidate: true, lang: data.language },
      this.field({ name: 'email', label: texts.email, type: 'email', required: true }),
      ...data.fields.map((field) => this.field(field)),
      this.code() && this.field({ name: 'code', label: texts.code, type: 'text', required: false }),
      data.consent &&
        this.field({ name: 'consent', label: data.consent.text, type: 'checkbox', required: true }),
      el('div', { class: 'trap', 'aria-hidden': 'true' }, el('label', {}, texts.leaveEmpty, trap)),
      data.captcha && el('slot', { name: 'captcha' }),
      this.message,
      this.button,
    );
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!this.sending) void this.send();
    });
    this.root.replaceChildren(this.form);
    if (data.captcha) void this.showCaptcha(data.captcha);
  }

  field({ name, label, type, options = [], required }) {
    const { texts } = this.data;
    const id = `${name}-problem`;
    const attributes = { name, id: name, required, part: 'input', 'aria-describedby': id };
    const problem = el('p', { class: 'problem', part: 'problem', id, hidden: true });
    if (type === 'checkbox') {
      const box = el('input', { ...attributes, type, part: 'checkbox', checked: this.given.has(name) });
      return el(
        'div',
        { class: 'field', part: 'field' },
        el('label', { class: 'check', part: 'label' }, box, el('span', { dir: 'auto' }, label)),
        problem,
      );
    }
    const isChoice = type === 'choice';
    const input = isChoice
      ? el(
          'select',
          attributes,
          el('option', { value: '' }, texts.choose),
          ...options.map((each) => el('option', {}, each)),
        )
      : el(
          'input',
          type === 'email'
            ? { ...attributes, type, dir: 'auto', autocomplete: 'email', placeholder: texts.emailExample }
            : { ...attributes, dir: 'auto' },
        );
    input.value = this.given.get(name) ?? '';
    if (!input.value) input.value = ''; // Not one of the options.
    const hint = !required && el('small', {}, ` (${texts.optional})`);
    return el(
      'div',
      { class: 'field', part: 'field' },
      el('label', { for: name, part: 'label', dir: 'auto' }, label, hint),
      isChoice ? el('span', { class: 'choice' }, input) : input,
      problem,
    );
  }

  /** In the address of the page, unless the form has a field of its own with this name. */
  code() {
    if (this.data.fields.some(({ name }) => name === 'code')) return undefined;
    const code = this.given.get('code') ?? new URLSearchParams(location.search).get('code');
    if (code) this.given.set('code', code);
    return code;
  }

  /** In the page itself, because widgets do not work inside a shadow root. */
  async showCaptcha(captcha) {
    const place = el('div', { slot: 'captcha' });
    this.append(place);
    try {
      const shown = await showWidget(place, captcha);
      if (place.parentNode) this.captcha = shown;
    } catch {
      this.message.textContent = this.data.texts.error;
    }
  }

  async send() {
    const { texts } = this.data;
    if (this.data.captcha && !this.captcha?.answer) {
      this.message.textContent = this.captcha ? texts.captchaRequired : texts.error;
      return;
    }
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
    this.button.textContent = this.data.texts.button;
  }

  async post() {
    const { form, url } = this;
    if (Date.now() - this.usedAt > TOKEN_MS) this.use(await this.load());
    const { texts } = this.data;
    const body = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...this.given, ...new URLSearchParams(location.search)])
      if (name === 'ref' || name.startsWith('utm_')) body.set(name, value);
    body.set('include', 'status');
    body.set('lang', this.data.language);
    body.set('proof', await this.proof);
    body.set('suggestedFor', this.suggestedFor ?? '');
    if (this.captcha) body.set('captcha', this.captcha.answer);
    await pause(READ_MS - (Date.now() - this.usedAt));
    const response = await fetch(url, { method: 'POST', headers: { accept: 'application/json' }, body });
    const answer = await response.json();
    if (form !== this.form) return; // The key has changed, and another form is shown.
    if (response.ok) return this.finish(answer);
    this.tell('error', answer);
    this.captcha?.reset();
    if (answer.fields) {
      this.mark(answer.fields);
      if (answer.suggestions) this.suggest(answer.suggestions.email);
      return;
    }
    this.message.textContent =
      { refused: texts.refused, waitlist_closed: texts.closed, rate_limited: texts.rateLimited }[
        answer.code
      ] ?? texts.error;
    if (answer.code === 'refused') this.use(await this.load());
  }

  /** The question becomes a button that takes the suggestion. Who sends the form again means what they typed. */
  suggest(email) {
    const input = this.root.getElementById('email');
    const place = this.root.getElementById('email-problem');
    const take = el('button', { type: 'button', part: 'suggestion' }, place.textContent);
    take.addEventListener('click', () => {
      if (this.sending) return;
      input.value = email;
      this.send();
    });
    this.suggestedFor = input.value;
    place.replaceChildren(take);
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
    }
    this.form.querySelector('[aria-invalid]')?.focus();
  }

  finish(answer) {
    const { texts, redirectUrl } = this.data;
    this.tell('joined', answer);
    if (redirectUrl) return location.assign(redirectUrl);
    const joined = answer.state === 'joined';
    this.setAttribute('state', answer.state);
    const level = this.getAttribute('heading-level') ?? 2;
    const title = el(
      `h${level}`,
      { part: 'title', class: 'title', tabindex: '-1' },
      joined ? texts.joined : texts.checkInbox,
    );
    const view = el('div', { part: 'result', lang: this.data.language }, title);
    if (joined && answer.status) this.showStatus(view, answer);
    else view.append(el('p', { part: 'text' }, joined ? texts.joinedText : texts.checkInboxText));
    if (answer.codeResult?.text) title.after(el('p', { part: 'text' }, answer.codeResult.text));
    this.form.replaceWith(view);
    this.querySelector('[slot=captcha]')?.remove();
    title.focus();
  }

  showStatus(view, { status, statusUrl }) {
    const position = el('p', { part: 'position', class: 'position' }, status.positionText ?? '');
    // From where the script came: the policy of the page allows that origin.
    const url = new URL(`../../s/${statusUrl.split('/').pop()}?lang=${this.data.language}`, this.url);
    const { texts } = this.data;
    view.append(
      position,
      ...(status.shareUrl ? shareParts(status, texts) : []),
      el('a', { href: url, part: 'link' }, texts.seeStatus),
    );
    this.refresh = async () => {
      if (document.hidden) return;
      const response = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => undefined);
      if (response?.ok) position.textContent = (await response.json()).positionText ?? '';
    };
  }
}

if (!customElements.get('doorlist-form')) customElements.define('doorlist-form', DoorlistForm);
