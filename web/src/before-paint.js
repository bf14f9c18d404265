// Runs before the page is drawn, so that it never flashes in the wrong theme.
try {
  const theme = localStorage.getItem('doorlist.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be blocked. The theme of the system applies then.
}
