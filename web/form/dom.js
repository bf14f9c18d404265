/** An element with attributes and children. What is false, null or undefined is left out. */
export const el = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  node.append(...children.filter((child) => child));
  return node;
};
