// Runs before the page is drawn, so that it never flashes in the wrong theme.
const page = document.documentElement;
try {
  const theme = localStorage.getItem('doorlist.theme');
  if (theme === 'light' || theme === 'dark') page.dataset.theme = theme;
} catch {
  // Storage can be blocked. The theme of the system applies then.
}
// What to show until the other scripts run, and if one of them does not come.
page.dataset.start = /\/(sign-in|setup|forgot-password)$/.test(location.pathname) ? 'card' : 'app';
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement) page.dataset.start = 'failed';
  },
  true,
);
