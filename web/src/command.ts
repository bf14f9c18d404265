/** How commands are run where the server was installed: all that a page for everybody says. */
export const COMMAND =
  document.querySelector<HTMLMetaElement>('meta[name="command"]')?.content ?? 'npm run -s doorlist --';
