// Keeps the status page up to date, and lets people copy and share their link. The page works without it.
(() => {
  const POLL_MS = 15_000;
  /** As long as nothing changes. */
  const POLL_MS_MAX = 120_000;
  const find = (selector) => document.querySelector(selector);
  const status = find('[data-status]')?.dataset.status;
  let etag = '';
  let wait = POLL_MS;
  let timer;
  let asking = false;

  const write = (selector, text) => {
    const element = find(selector);
    if (element && text && element.textContent !== text) element.textContent = text;
  };
  const show = (person) => {
    if (person.status !== status) return location.reload();
    write('[data-text]', person.statusText);
    write('.position', person.positionShown);
    write('.reasons', person.positionReasons);
    write('.referred', person.referralsText);
  };
  const slowDown = () => {
    wait = Math.min(2 * wait, POLL_MS_MAX);
  };
  const read = async () => {
    const headers = { accept: 'application/json', ...(etag && { 'if-none-match': etag }) };
    const response = await fetch(location.href, { headers, cache: 'no-store' });
    if (!response.ok) return slowDown();
    const known = etag !== '';
    etag = response.headers.get('etag') ?? '';
    show(await response.json());
    if (known) wait = POLL_MS;
  };
  const update = async () => {
    clearTimeout(timer);
    if (asking || document.hidden) return;
    asking = true;
    await read().catch(slowDown);
    asking = false;
    timer = setTimeout(update, wait);
  };
  if (status) {
    document.addEventListener('visibilitychange', update);
    timer = setTimeout(update, wait);
  }

  const link = find('[data-link]')?.textContent;
  const copy = find('[data-copy]');
  const share = find('[data-share]');
  if (!link) return;
  if (navigator.clipboard) {
    const label = copy.textContent;
    copy.hidden = false;
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(link);
      copy.textContent = copy.dataset.copy;
      setTimeout(() => {
        copy.textContent = label;
      }, 2_000);
    });
  }
  if (navigator.share) {
    share.hidden = false;
    // A person who closes the dialog rejects it.
    share.addEventListener('click', () =>
      navigator.share({ text: share.dataset.share, url: link }).catch(() => {}),
    );
  }
})();
