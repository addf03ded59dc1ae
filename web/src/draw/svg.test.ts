import { expect, test } from 'vitest';
import { SvgPen } from './svg';

const pen = () => new SvgPen((text) => text.length * 10);

test('what is drawn stands in the file, names as text', () => {
  const whole = pen();
  whole.canvas.width = 100;
  whole.canvas.height = 50;
  whole.fillStyle = '#123456';
  whole.font = '12px "Noto Sans"';
  whole.fillRect(1, 2.125, 30, 4);
  whole.fillText('a<b>&"c\u0000\ud800', 5, 6);
  expect(whole.text()).toContain('width="100" height="50" viewBox="0 0 100 50"');
  expect(whole.text()).toContain('<rect x="1" y="2.13" width="30" height="4" fill="#123456"/>');
  expect(whole.text()).toContain(
    'textLength="90" lengthAdjust="spacingAndGlyphs" fill="#123456" '
    + 'style="font:12px &quot;Noto Sans&quot;">a&lt;b&gt;&amp;&quot;c  </text>',
  );
});

test('a drawing stands where it is put, cut at its size', () => {
  const [whole, part] = [pen(), pen()];
  part.canvas.width = 20;
  part.canvas.height = 10;
  part.fillRect(0, 0, 5, 5);
  part.fillRect(0, 0, 0, 5); // nothing to see
  whole.place(part, 3, 4);
  expect(whole.text()).toContain(
    '<svg x="3" y="4" width="20" height="10">\n<rect x="0" y="0" width="5" height="5" fill="#000000"/>\n</svg>',
  );
});

test('lines of a path are one element', () => {
  const p = pen();
  p.beginPath();
  p.stroke(); // nothing to see
  p.strokeStyle = 'rgb(1 2 3 / 0.5)';
  p.lineWidth = 1.5;
  p.moveTo(0, 10);
  p.lineTo(10, 0);
  p.moveTo(6, 10);
  p.lineTo(10, 6);
  p.stroke();
  expect(p.text().match(/<path[^>]*>/g)).toEqual([
    '<path d="M0 10L10 0M6 10L10 6" fill="none" stroke="rgb(1 2 3 / 0.5)" stroke-width="1.5"/>',
  ]);
});
