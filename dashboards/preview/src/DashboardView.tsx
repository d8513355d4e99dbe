import { css } from '@emotion/css';
import { rangeUtil, type TimeRange } from '@grafana/data';
import { Icon, InlineLabel, ToolbarButton, useTheme2 } from '@grafana/ui';
import type { Region } from './annotations';
import type { Dashboard, Link, Panel } from './dashboard';
import type { PanelData } from './data';
import { PanelView } from './PanelView';
import type { Variables } from './variables';

const columns = 24;
const cell = 30;
const gap = 8;

/** The pixels that a panel gets on a grid of the given width, as Grafana lays it out. */
export function size({ gridPos }: Panel, gridWidth: number) {
  const column = (gridWidth + gap) / columns;
  return {
    left: gridPos.x * column,
    top: gridPos.y * (cell + gap),
    width: gridPos.w * column - gap,
    height: gridPos.h * (cell + gap) - gap,
  };
}

interface Props {
  dashboard: Dashboard;
  /** All dashboards of the folder. */
  siblings: Dashboard[];
  panels: PanelData[];
  variables: Variables;
  regions: Region[];
  range: TimeRange;
  width: number;
}

/** A whole dashboard: its bar with variables, links and time range, and its panels and rows. */
export function DashboardView({ dashboard, siblings, panels, variables, regions, range, width }: Props) {
  const theme = useTheme2();
  const inner = width - 2 * theme.spacing.gridSize * 2;
  const height = Math.max(...dashboard.panels.map((p) => size(p, inner)).map((s) => s.top + s.height));
  return (
    <div className={css({ width, padding: theme.spacing(2), background: theme.colors.background.canvas })}>
      <Header dashboard={dashboard} siblings={siblings} variables={variables} range={range} />
      <div className={css({ position: 'relative', height })}>
        {dashboard.panels.map((panel) => {
          const { left, top, width, height } = size(panel, inner);
          const data = panels.find((p) => p.panel === panel);
          return (
            <div key={panel.id} style={{ position: 'absolute', left, top, width, height }}>
              {data ? <PanelView data={data} variables={variables} regions={regions} width={width} height={height} /> : <RowTitle row={panel} variables={variables} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Header({ dashboard, siblings, variables, range }: Omit<Props, 'panels' | 'regions' | 'width'>) {
  const theme = useTheme2();
  const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: theme.spacing(1), marginBottom: theme.spacing(2) });
  const choice = css({
    display: 'flex',
    alignItems: 'center',
    gap: theme.spacing(1),
    height: theme.spacing(4),
    padding: theme.spacing(0, 1),
    background: theme.components.input.background,
    border: `1px solid ${theme.components.input.borderColor}`,
    borderRadius: theme.shape.radius.default,
  });
  return (
    <>
      <div className={row}>
        <h1 className={css({ fontSize: theme.typography.h4.fontSize, margin: 0, flexGrow: 1 })}>{dashboard.title}</h1>
        <ToolbarButton icon="clock-nine" variant="canvas" isOpen={false}>
          {rangeUtil.describeTimeRange(range.raw)}
        </ToolbarButton>
        <ToolbarButton icon="sync" variant="canvas">
          Refresh
        </ToolbarButton>
      </div>
      <div className={row}>
        {variables.list().filter((v) => (v.hide ?? 0) < 2).map((v) => (
          <div key={v.name} className={css({ display: 'flex' })}>
            {v.hide !== 1 && <InlineLabel width="auto">{v.label || v.name}</InlineLabel>}
            <div className={choice}>
              {v.text} <Icon name="angle-down" />
            </div>
          </div>
        ))}
        <div className={css({ display: 'flex', flexWrap: 'wrap', justifyContent: 'flex-end', gap: theme.spacing(1), flex: '1 0 auto', maxWidth: '100%' })}>
          {dashboard.links?.flatMap((link) => resolved(link, dashboard, siblings)).map((link) => (
            <ToolbarButton key={link.title} icon={link.type === 'dashboards' ? 'apps' : 'external-link-alt'} variant="canvas" isOpen={link.asDropdown ? false : undefined}>
              {link.title}
            </ToolbarButton>
          ))}
        </div>
      </div>
    </>
  );
}

// A link to dashboards by their tags stands for one link to each, unless it is a dropdown.
function resolved(link: Link, dashboard: Dashboard, siblings: Dashboard[]): Link[] {
  if (link.type !== 'dashboards' || link.asDropdown) {
    return [link];
  }
  const tagged = siblings.filter(({ uid, tags }) => uid !== dashboard.uid && link.tags?.every((tag) => tags?.includes(tag)));
  return tagged.map(({ title }) => ({ ...link, title }));
}

function RowTitle({ row, variables }: { row: Panel; variables: Variables }) {
  const theme = useTheme2();
  const hidden = row.collapsed ? (row.panels?.length ?? 0) : 0;
  return (
    <div className={css({ display: 'flex', alignItems: 'center', gap: theme.spacing(1), height: '100%', fontSize: theme.typography.h5.fontSize, fontWeight: theme.typography.fontWeightMedium })}>
      <Icon name={row.collapsed ? 'angle-right' : 'angle-down'} />
      {variables.inText(row.title)}
      {hidden > 0 && <span className={css({ color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize })}>({hidden} {hidden === 1 ? 'panel' : 'panels'})</span>}
    </div>
  );
}
