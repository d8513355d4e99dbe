// Annotations: the times at which a query had an answer, marked on every plot as Grafana marks them.
import { colorManipulator, type GrafanaTheme2, type TimeRange } from '@grafana/data';
import { REGION_FILL_ALPHA, type UPlotConfigBuilder } from '@grafana/ui';
import { useLayoutEffect } from 'react';
import type uPlot from 'uplot';
import type { AnnotationQuery } from './dashboard';
import { queryRange } from './prometheus';
import type { Variables } from './variables';

/** A span of time in milliseconds, and its color. */
export interface Region {
  from: number;
  to: number;
  color: string;
}

const stepMs = 60_000;

/** Asks one annotation query for the regions in which its series have a value. */
export async function regions(query: AnnotationQuery, range: TimeRange, variables: Variables, theme: GrafanaTheme2): Promise<Region[]> {
  const expr = query.expr ?? query.target?.expr;
  if (query.enable === false || !expr) {
    return [];
  }
  const color = theme.visualization.getColorByName(query.iconColor ?? 'red');
  const series = await queryRange(variables.inQuery(expr, { __interval: '60s', __rate_interval: '60s' }), range, stepMs);
  return series.flatMap(({ values }) => {
    const found: Region[] = [];
    for (const [seconds, value] of values) {
      const at = seconds * 1000;
      const last = found.at(-1);
      if (Number(value) === 0) {
        continue;
      }
      if (last && at - last.to <= stepMs) {
        last.to = at;
      } else {
        found.push({ from: at, to: at, color });
      }
    }
    return found;
  });
}

/** Lets a plot mark regions; to be placed inside it. */
export function Annotations({ builder, regions }: { builder: UPlotConfigBuilder; regions: Region[] }) {
  useLayoutEffect(() => builder.addHook('draw', (u) => regions.forEach((region) => mark(u, region))), [builder]);
  return null;
}

function mark(u: uPlot, { from, to, color }: Region) {
  const { ctx, bbox } = u;
  const inside = (x: number) => Math.min(Math.max(x, bbox.left), bbox.left + bbox.width);
  const [left, right] = [from, to].map((time) => inside(u.valToPos(time, 'x', true)));
  const bottom = bbox.top + bbox.height;
  ctx.save();
  ctx.fillStyle = colorManipulator.alpha(color, REGION_FILL_ALPHA);
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.fillStyle = color;
  ctx.fillRect(left, bottom, Math.max(right - left, 3 * devicePixelRatio), 5 * devicePixelRatio);
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 5 * devicePixelRatio]);
  for (const x of new Set([left, right])) {
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  ctx.restore();
}
