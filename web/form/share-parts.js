import { el } from './dom.js';

/** The link to share, with the buttons and networks for it. */
export const shareParts = ({ shareUrl, shareText, post, links }, texts) => {
  const link = el('input', { part: 'input', readonly: true, value: shareUrl, 'aria-label': texts.linkLabel });
  const copy = el('button', { part: 'button', type: 'button', 'aria-live': 'polite' }, texts.copy);
  copy.addEventListener('click', async () => {
    link.select();
    await navigator.clipboard.writeText(shareUrl).catch(() => document.execCommand('copy'));
    copy.textContent = texts.copied;
  });
  const share = navigator.share && el('button', { part: 'button', type: 'button' }, texts.share);
  if (share)
    share.addEventListener('click', () => {
      navigator.share({ text: post, url: shareUrl }).catch(() => {});
    });
  const target = { target: '_blank', rel: 'noopener noreferrer', part: 'link' };
  const networks = links.map(({ name, label, url }) =>
    el('li', {}, el('a', { ...target, href: url, 'aria-label': label }, name)),
  );
  return [
    el('p', { part: 'text' }, shareText),
    link,
    el('div', { class: 'row' }, copy, share),
    el('ul', { class: 'row' }, ...networks),
  ];
};
