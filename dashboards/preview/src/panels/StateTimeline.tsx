import { colorManipulator, FieldType, formattedValueToString, getFieldDisplayName, type DataFrame, type DisplayValue, type Field, type GrafanaTheme2 } from '@grafana/data';
import { AxisPlacement, ScaleDirection, ScaleOrientation, VisibilityMode } from '@grafana/schema';
import { getTextColorForAlphaBackground, measureText, UPlotChart, UPlotConfigBuilder, useTheme2, VizLayout, VizLegend } from '@grafana/ui';
import { useMemo } from 'react';
import type uPlot from 'uplot';
import { Annotations } from '../annotations';
import type { Props } from './props';

/** One state that a series was in, from and to in milliseconds. */
interface Span {
  from: number;
  to: number;
  display: DisplayValue;
}

interface Row {
  name: string;
  spans: Span[];
}

const font = 12;

// Grafana's own state timeline belongs to Grafana's server, not to its libraries; this one draws the same picture on the same plot.
export function StateTimeline({ data, regions, width, height }: Props) {
  const theme = useTheme2();
  const { frames, range, panel } = data;
  const options = panel.options ?? {};
  const rows = useMemo(() => toRows(frames, options.mergeValues ?? true, range.to.valueOf()), [frames]);
  const plot = useMemo(() => {
    const builder = new UPlotConfigBuilder('utc');
    const [from, to] = [range.from.valueOf(), range.to.valueOf()];
    builder.addScale({ scaleKey: 'x', isTime: true, orientation: ScaleOrientation.Horizontal, direction: ScaleDirection.Right, range: () => [from, to] });
    builder.addScale({ scaleKey: 'y', orientation: ScaleOrientation.Vertical, direction: ScaleDirection.Up, range: () => [0, rows.length] });
    builder.addAxis({ scaleKey: 'x', isTime: true, placement: AxisPlacement.Bottom, timeZone: 'utc', theme, grid: { show: true } });
    builder.addAxis({
      scaleKey: 'y',
      placement: AxisPlacement.Left,
      theme,
      grid: { show: false },
      ticks: { show: false },
      splits: rows.map((_, i) => rows.length - i - 0.5),
      values: rows.map((row) => row.name),
    });
    builder.addSeries({ scaleKey: 'y', theme, show: true, pathBuilder: () => null, pointsBuilder: () => false, lineWidth: 0 });
    builder.addHook('draw', (u) => draw(u, rows, options, fieldOptions(data.fieldConfig.defaults.custom), theme));
    return { builder, data: [[from, to], [0, 0]] as uPlot.AlignedData };
  }, [rows]);
  const legend = options.legend?.showLegend === false ? null : (
    <VizLayout.Legend placement={options.legend?.placement ?? 'bottom'}>
      <VizLegend displayMode={options.legend?.displayMode ?? 'list'} placement={options.legend?.placement ?? 'bottom'} items={states(rows)} readonly />
    </VizLayout.Legend>
  );
  return (
    <VizLayout width={width} height={height} legend={legend}>
      {(w, h) => (
        <UPlotChart config={plot.builder} data={plot.data} width={w} height={h}>
          <Annotations builder={plot.builder} regions={regions} />
        </UPlotChart>
      )}
    </VizLayout>
  );
}

function fieldOptions(custom: Record<string, number> = {}) {
  return { opacity: (custom.fillOpacity ?? 70) / 100, line: custom.lineWidth ?? 0 };
}

function toRows(frames: DataFrame[], merge: boolean, end: number): Row[] {
  return frames.flatMap((frame) => {
    const time = frame.fields.find((f) => f.type === FieldType.time);
    const shown = frame.fields.filter((f) => f !== time && !f.config.custom?.hideFrom?.viz);
    return time ? shown.map((field) => ({ name: getFieldDisplayName(field, frame, frames), spans: toSpans(time, field, merge, end) })) : [];
  });
}

// A value holds until the next one. Where the next is missing it holds for one step, or over the gap if the panel spans gaps that long.
function toSpans(time: Field, field: Field, merge: boolean, end: number): Span[] {
  const step = time.config.interval ?? Infinity;
  const spanned = field.config.custom?.spanNulls;
  const bridge = spanned === true ? Infinity : typeof spanned === 'number' ? spanned : 0;
  const spans: Span[] = [];
  field.values.forEach((value, i) => {
    if (value === null || value === undefined) {
      return;
    }
    const from = time.values[i];
    const next = time.values[i + 1];
    const to = next === undefined ? Math.min(from + step, end) : next - from <= Math.max(step, bridge) ? next : from + step;
    const display = field.display!(value);
    const last = spans.at(-1);
    if (merge && last && last.to >= from && last.display.text === display.text) {
      last.to = to;
    } else {
      spans.push({ from, to, display });
    }
  });
  return spans;
}

function states(rows: Row[]) {
  const seen = new Map<string, DisplayValue>();
  rows.forEach((row) => row.spans.forEach(({ display }) => seen.set(display.text, display)));
  return [...seen.values()].map((display) => ({ label: formattedValueToString(display), color: display.color, yAxis: 1 }));
}

function draw(u: uPlot, rows: Row[], options: Record<string, any>, style: { opacity: number; line: number }, theme: GrafanaTheme2) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const rowHeight = bbox.height / rows.length;
  const boxHeight = rowHeight * (options.rowHeight ?? 0.9);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `500 ${font * ratio}px ${theme.typography.fontFamily}`;
  ctx.textBaseline = 'middle';
  rows.forEach((row, i) => {
    const top = bbox.top + i * rowHeight + (rowHeight - boxHeight) / 2;
    for (const { from, to, display } of row.spans) {
      const left = Math.max(u.valToPos(from, 'x', true), bbox.left);
      const right = u.valToPos(to, 'x', true);
      const fill = colorManipulator.alpha(display.color ?? theme.colors.text.disabled, style.opacity);
      ctx.fillStyle = fill;
      ctx.fillRect(left, top, right - left, boxHeight);
      if (style.line > 0) {
        ctx.strokeStyle = display.color ?? theme.colors.text.disabled;
        ctx.lineWidth = style.line * ratio;
        ctx.strokeRect(left, top, right - left, boxHeight);
      }
      const text = formattedValueToString(display);
      const fits = measureText(text, font, 500).width * ratio + 8 * ratio < right - left && boxHeight > font * ratio;
      if (options.showValue === VisibilityMode.Always || (options.showValue !== VisibilityMode.Never && fits)) {
        const align: CanvasTextAlign = options.alignValue ?? 'left';
        const x = align === 'center' ? (left + right) / 2 : align === 'right' ? right - 4 * ratio : left + 4 * ratio;
        ctx.textAlign = align;
        ctx.fillStyle = getTextColorForAlphaBackground(fill, theme.isDark);
        ctx.fillText(text, x, top + boxHeight / 2);
      }
    }
  });
  ctx.restore();
}
