// Runs in a page: lists the text whose contrast is below 4.5, the least that WCAG AA asks for.
(() => {
  const luminance = (colour) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    if (!element) return 'rgb(255, 255, 255)';
    const colour = getComputedStyle(element).backgroundColor;
    return colour === 'rgba(0, 0, 0, 0)' ? backgroundOf(element.parentElement) : colour;
  };
  const hasText = (element) =>
    [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '',
    );
  const contrastOf = (element) => {
    const colours = [getComputedStyle(element).color, backgroundOf(element)];
    const [dark, light] = colours.map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const faint = [...document.querySelectorAll('body *')]
    .filter((element) => hasText(element) && contrastOf(element) < 4.5)
    .map((element) => `${element.tagName} ${element.className} ${contrastOf(element).toFixed(2)}`);
  return [...new Set(faint)];
})();
