/** Optional conveniences of every page: a menu that closes itself, and copy buttons. */
export const COMMON_SCRIPT = `
const contents = document.getElementById('contents');
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});

if (navigator.clipboard) {
  for (const pre of document.querySelectorAll('.sample pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    pre.after(button);
  }
}
`;

/** Those of a reference: highlighting in the table of contents. */
export const SCRIPT = `${COMMON_SCRIPT}
const links = new Map([...contents.querySelectorAll('li a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
let unfolded;
const follow = (link) => {
  const group = link.closest('details');
  if (group && !group.open) {
    if (unfolded) unfolded.open = false;
    group.open = true;
    unfolded = group;
  }
  const { scrollTop, clientHeight } = contents;
  if (link.offsetTop < scrollTop || link.offsetTop > scrollTop + clientHeight - 48)
    contents.scrollTop = link.offsetTop - clientHeight / 3;
};
const inView = new Set();
const watcher = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) inView[isIntersecting ? 'add' : 'delete'](target.id);
  const current = [...links.keys()].find((id) => inView.has(id));
  if (!current) return;
  follow(links.get(current));
  for (const [id, link] of links) {
    if (id === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}, { rootMargin: '-10% 0px -70% 0px' });
for (const id of links.keys()) watcher.observe(document.getElementById(id));
`;
