/** A heading with the plain text below it. */
export interface Section {
  id: string;
  title: string;
  depth: number;
  text: string;
}

/** As GitHub makes anchors, so that links work in both places. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** A title that occurs again gets a number. */
export function slugger(): (title: string) => string {
  const seen = new Map<string, number>();
  return (title) => {
    const slug = slugOf(title);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

export function titleOf(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** Cheaper than rendering: the search needs the sections of all pages. The first one is the page itself. */
export function sectionsIn(markdown: string): Section[] {
  const slugFor = slugger();
  const found: { depth: number; title: string; prose: string[]; code: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', heading = ''] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || [];
    if (marks) found.push({ depth: marks.length, title: titleOf(heading), prose: [], code: [] });
    else found.at(-1)?.[isCode ? 'code' : 'prose'].push(line);
  }
  // Code comes last, because an excerpt of prose says more.
  return found.map(({ depth, title, prose, code }) => ({
    ...{ id: slugFor(title), title, depth },
    text: plain([...prose, ...code].join('\n')),
  }));
}

/** Without markup, in one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, '')
    .replace(/^\|[ :|-]+\|$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replace(/[`*]/g, '')
    .replace(/\||^[>-] /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
