// The words of the page that stand out from what is behind them by less than 4.5:1, each with its
// place and ratio (https://www.w3.org/TR/WCAG22/#contrast-minimum).
(() => {
  const parse = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => {
    const mix = (one, other) => one * top.a + other * (1 - top.a);
    return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), a: 1 };
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.push(parse(getComputedStyle(at).backgroundColor));
    }
    return layers.reduceRight((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const light = ({ r, g, b }) => {
    const part = (value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const box = element.getBoundingClientRect();
    const said = texts.currentNode.textContent.trim();
    if (!said || !box.width || !box.height || element.closest("title, desc, option")) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const opacity = { a: Number(style.opacity) };
    const colour = parse(element.closest("svg") ? style.fill : style.color);
    const front = over({ ...colour, a: colour.a * opacity.a }, back);
    const [high, low] = [light(front), light(back)].sort((one, other) => other - one);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) faint.push(`${element.tagName} ${said.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return faint;
})()
