/** What is open above the page. */
export type Overlay = 'palette' | 'shortcuts' | 'navigation' | null;
